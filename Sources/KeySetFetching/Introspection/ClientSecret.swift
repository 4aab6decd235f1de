/// Secret of our client at an issuer (RFC 6749 §2.3.1). Its description and mirror hide it, so no log or dump shows it.
struct ClientSecret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    /// Takes a file's content without one newline at its end. Throws the reason if the rest is not a valid secret.
    init(file content: [UInt8]) throws(Unusable) {
        var bytes = content[...]
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.count < content.count, bytes.last == 0x0D { bytes.removeLast() }
        guard !bytes.isEmpty else { throw .empty }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .controlCharacter }
        self.bytes = Array(bytes)
    }

    enum Unusable: Error, Sendable, Hashable {
        case empty
        case controlCharacter

        var reason: String {
            switch self {
            case .empty: "it is empty"
            case .controlCharacter: "it holds a control character, such as a second line"
            }
        }
    }

    var description: String { "(client secret)" }

    var customMirror: Mirror { Mirror(self, children: []) }
}
