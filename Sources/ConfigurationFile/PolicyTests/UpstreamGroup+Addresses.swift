import ProxySettings

extension UpstreamGroup {
    /// URLs of the targets. A URL with the default port of its scheme is also given without it.
    public var addresses: [String] {
        let path = String(decoding: basePath, as: UTF8.self)
        return targets.flatMap { target -> [String] in
            guard target.socketPath == nil else { return [target.name + path] }
            let scheme = target.security == nil ? "http" : "https"
            let whole = "\(scheme)://\(target.authority)"
            let usual = target.security == nil ? ":80" : ":443"
            return ([whole] + (whole.hasSuffix(usual) ? [String(whole.dropLast(usual.count))] : [])).map { $0 + path }
        }
    }
}
