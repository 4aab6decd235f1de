import NetworkNames

/// Whether a request for data names this machine, and not a name that somebody else's name server answers for.
///
/// A page in a browser of this machine can make its own name resolve to loopback, and would then be allowed to read
/// answers (DNS rebinding).
enum LocalHost {
    /// Answer to a client that names another host.
    static let refusal = "ask by address, or by the name localhost"

    /// - Parameter host: the `Host` field, with or without a port.
    static func permits(_ host: String?) -> Bool {
        guard let host, !host.isEmpty else { return false }
        if host.hasPrefix("[") { return true }
        let name = host.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        return name.lowercased() == "localhost" || isIPv4(name)
    }

    /// True for a name other than `localhost` in a request from this machine: perhaps a page in a browser. Nothing is a
    /// name there if `Host` is absent or empty, which no browser sends.
    ///
    /// - Parameter peer: the address of the connection's other end. Nil if it is not known any more.
    static func isForeignName(_ host: String?, from peer: String?) -> Bool {
        guard let host, !host.isEmpty, !permits(host) else { return false }
        return peer.flatMap { IPAddress($0) }?.addressClass == .loopback
    }

    /// Four numbers: no name server is asked about those.
    private static func isIPv4(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
