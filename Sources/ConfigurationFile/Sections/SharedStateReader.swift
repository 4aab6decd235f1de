import NetworkNames

/// Reads `shared_state`.
enum SharedStateReader {
    private static let example = "write `redis://127.0.0.1:6379/0`"
    private static let usualPort = 6379

    static func read(_ value: Value) -> SharedState? {
        guard let section = Section(value, of: SharedStateKeys.self) else { return nil }
        let (place, secret) = (section.required(\.url), section.required(\.secretFile))
        let (nodes, timeout) = (section.read(\.nodes).value, section.read(\.timeout).value)
        let (user, password) = (section.read(\.user), section.read(\.passwordFile))
        if !user.isAbsent, password.isAbsent {
            section[\.user]?.reportMissing("`user` needs a password", hint: "name its file with `password_file`")
            return nil
        }
        guard let place, let nodes, let timeout, let secret, !password.isWrong, !user.isWrong else { return nil }
        return SharedState(
            host: place.host, port: place.port, database: place.database, processes: nodes, user: user.value,
            password: password.value, secret: secret, timeout: timeout)
    }

    // MARK: URL

    static func place(_ value: Value) -> (host: String, port: Int, database: Int)? {
        guard let text = value.someText(expected: "a URL such as `redis://127.0.0.1:6379/0`") else { return nil }
        if text.hasPrefix("rediss://") {
            return value.refuse(
                "`rediss://` is not supported: the client library knows no TLS",
                hint: "write `redis://` and let a TLS tunnel such as stunnel listen on this machine")
        }
        guard text.hasPrefix("redis://") else {
            return value.refuse("`\(text)` is not the URL of a Redis server", hint: example)
        }
        let rest = text.dropFirst("redis://".count)
        guard !rest.contains("@") else {
            return value.refuse("the URL has a user or a password in it", hint: "write `user` and `password_file`")
        }
        let authority = rest.prefix { $0 != "/" }
        // Hosts and ports have the same syntax as in every URL.
        guard let url = HTTPURL("http://\(authority)"), let database = database(rest.dropFirst(authority.count)) else {
            return value.refuse("`\(text)` is not the URL of a Redis server", hint: example)
        }
        if !url.namesLoopback {
            value.warn(
                "the connection to `\(authority)` is not encrypted: whoever can read it sees the password and how often callers come",
                hint: "use a server on this machine, or a TLS tunnel to it", weakens: .sharedState)
        }
        let hasPort = HostAndPort(authority)?.port != nil
        return (url.host, hasPort ? url.port : usualPort, database)
    }

    /// Database number in `/0`; 0 if there is no path. Nil if it is invalid.
    private static func database(_ path: Substring) -> Int? {
        guard !path.isEmpty, path != "/" else { return 0 }
        return Quantity.digits(path.dropFirst()).flatMap { (0...9999).contains($0) ? $0 : nil }
    }
}
