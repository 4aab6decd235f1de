/// Content of a file that is sent as `Authorization` (RFC 9110 §11.6.2).
public struct AuthorizationFileContent: Sendable, Hashable {
    /// The bytes beyond which nothing is read: as much as a gateway takes of its own clients by default.
    public static let limit = 16 * 1024

    /// The field's value.
    public let value: String

    public enum Unusable: Error, Sendable, Hashable {
        case empty
        /// Bytes that would end the field, or that no field has.
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

    /// A scheme and what follows it, or a token alone, which is sent as a bearer token; one line break at the end does
    /// not count.
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
