/// Selects one of several certificates by the server name that the client sent (SNI, RFC 6066 §3).
struct ServerNameTable: Sendable {
    private var exact: [String: Int] = [:]
    /// Certificate index by the part after `*.`. The `*` matches exactly one label (RFC 6125 §6.4.3).
    private var wildcard: [String: Int] = [:]

    /// - Parameter names: The names of each certificate. If two certificates share a name, the first is used.
    init(_ names: [[String]]) {
        for (index, names) in names.enumerated() {
            for name in names {
                if name.hasPrefix("*.") {
                    wildcard[String(name.dropFirst(2))] = wildcard[String(name.dropFirst(2))] ?? index
                } else {
                    exact[name] = exact[name] ?? index
                }
            }
        }
    }

    /// Index of the certificate for a server name. Nil if no certificate matches, or the client sent no name.
    func certificate(for name: String?) -> Int? {
        guard var name = name?.lowercased()[...] else { return nil }
        if name.hasSuffix(".") { name.removeLast() }
        if let index = exact[String(name)] { return index }
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return nil }
        return wildcard[String(name[name.index(after: dot)...])]
    }
}
