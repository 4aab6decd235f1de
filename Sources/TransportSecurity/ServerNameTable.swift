/// Which of several certificates answers to the name that a client asks for (RFC 6066 §3).
struct ServerNameTable: Sendable {
    private var exact: [String: Int] = [:]
    /// By what stands behind `*.`, which is one whole label (RFC 6125 §6.4.3).
    private var wildcard: [String: Int] = [:]

    /// - Parameter names: of each certificate; where two have the same name the first answers.
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

    /// The certificate for a name; nil if none has it, or no name was asked for.
    func certificate(for name: String?) -> Int? {
        guard var name = name?.lowercased()[...] else { return nil }
        if name.hasSuffix(".") { name.removeLast() }
        if let index = exact[String(name)] { return index }
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return nil }
        return wildcard[String(name[name.index(after: dot)...])]
    }
}
