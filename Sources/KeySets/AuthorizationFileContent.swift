/// Content of a file that is sent as `Authorization` (RFC 9110 §11.6.2).
public struct AuthorizationFileContent: Sendable, Hashable {
    /// Largest content, in bytes: equal to the gateway's default limit for its own clients.
    public static let limit = 16 * 1024

    /// Value of the `Authorization` field.
    public let value: String

    public enum Unusable: Error, Sendable, Hashable {
        case empty
        /// The content has line breaks, or other bytes that a field cannot contain.
        case notOneLine
        case tooLarge

        public var reason: String {
            switch self {
            case .empty: "it is empty"
            case .notOneLine: "it is not one line of printable ASCII"
            case .tooLarge: "it is larger than 16 KiB"
            }
        }
    }

    /// Reads a scheme with its credentials, or a token alone, which is sent as a bearer token. One line break at the
    /// end is ignored.
    public init(_ bytes: [UInt8]) throws(Unusable) {
        guard bytes.count <= Self.limit else { throw .tooLarge }
        var text = bytes[...]
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        guard text.contains(where: { $0 != UInt8(ascii: " ") }) else { throw .empty }
        guard text.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .notOneLine }
        guard text.first != UInt8(ascii: " "), text.last != UInt8(ascii: " ") else { throw .notOneLine }
        let written = String(decoding: text, as: UTF8.self)
        value = text.contains(UInt8(ascii: " ")) ? written : "Bearer \(written)"
    }
}
