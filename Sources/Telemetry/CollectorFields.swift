import HTTPMessages

/// Header fields of requests to a collector, read from a file: a line `name: value` for each. Empty lines, and lines
/// that begin with `#`, count for nothing.
public struct CollectorFields: Sendable, Hashable {
    public struct Field: Sendable, Hashable {
        public let name: String
        public let value: String
    }

    public let fields: [Field]

    /// Largest size of the file, in bytes.
    public static let longestFile = 16 * 1024
    /// Largest number of fields.
    public static let most = 32
    /// Names that determine where a message goes and where it ends, or that the exporter sets.
    private static let refused: Set<String> = [
        "host", "content-type", "content-length", "content-encoding", "transfer-encoding", "connection", "expect",
        "upgrade", "te", "trailer", "user-agent",
    ]

    public struct Fault: Error, Hashable {
        /// Number of the line, from 1.
        public let line: Int
        /// Description of the fault, without the value, which may be a secret.
        public let reason: String

        public init(line: Int, reason: String) {
            self.line = line
            self.reason = reason
        }
    }

    public init(_ bytes: [UInt8]) throws(Fault) {
        var fields: [Field] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let text = line.trimmed
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
                throw Fault(line: index + 1, reason: "it has no `:`; write `name: value`")
            }
            let name = String(decoding: text[..<colon], as: UTF8.self)
            guard FieldName(name) != nil else { throw Fault(line: index + 1, reason: "it begins with no field name") }
            guard !Self.refused.contains(name.lowercased()) else {
                throw Fault(line: index + 1, reason: "`\(name)` is not permitted here")
            }
            let value = text[text.index(after: colon)...].trimmed
            guard !value.isEmpty, value.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw Fault(
                    line: index + 1, reason: "the value of `\(name)` is empty, or has a character that is not ASCII")
            }
            guard fields.count < Self.most else {
                throw Fault(line: index + 1, reason: "more than \(Self.most) fields")
            }
            fields.append(Field(name: name, value: String(decoding: value, as: UTF8.self)))
        }
        self.fields = fields
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without spaces, tabs and carriage returns around them.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return []
        }
        return self[first...last]
    }
}
