import NetworkNames

/// Rule that the `Host` of a request must be an address or `localhost`, not a name that another name server resolves.
///
/// A page in a browser on this machine could make its own name resolve to loopback. The browser would then let it read
/// responses (DNS rebinding).
enum LocalHost {
    /// The error message for requests with another `Host`.
    static let refusal = "use an IP address or `localhost` as the host"

    /// - Parameter host: the value of `Host`, with or without a port.
    static func permits(_ host: String?) -> Bool {
        guard let host, !host.isEmpty else { return false }
        if host.hasPrefix("[") { return true }
        let name = host.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        return name.lowercased() == "localhost" || isIPv4(name)
    }

    /// True for a name other than `localhost` in a request from this machine, which may come from a page in a browser.
    /// False if `Host` is absent or empty: browsers always send one.
    ///
    /// - Parameter peer: the address of the client. Nil if the connection is closed.
    static func isForeignName(_ host: String?, from peer: String?) -> Bool {
        guard let host, !host.isEmpty, !permits(host) else { return false }
        return peer.flatMap { IPAddress($0) }?.addressClass == .loopback
    }

    /// True for four decimal numbers, which are never resolved by a name server.
    private static func isIPv4(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
