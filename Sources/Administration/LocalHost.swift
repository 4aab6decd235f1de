/// Whether a request for data names this machine, and not a name that somebody else's name server answers for.
///
/// A page in a browser of this machine can make its own name resolve to loopback, and would then be allowed to read answers (DNS rebinding).
enum LocalHost {
    /// What is told whoever names another host.
    static let refusal = "ask by address, or by the name localhost"

    /// - Parameter host: the `Host` field, with or without a port.
    static func permits(_ host: String?) -> Bool {
        guard let host, !host.isEmpty else { return false }
        if host.hasPrefix("[") { return true }
        let name = host.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        return name.lowercased() == "localhost" || isIPv4(name)
    }

    /// Four numbers: no name server is asked about those.
    private static func isIPv4(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
