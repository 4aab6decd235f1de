import CJansson

/// The first error in a JSON text, for messages. It has more detail than ``JSONRejection`` and is only determined when
/// a message is needed.
public struct JSONFault: Sendable, Hashable {
    public let rejection: JSONRejection
    /// The byte at which parsing stopped, counted from 1.
    public let position: Int
    /// The unescaped name that an object has twice. Nil for other errors.
    public let member: String?

    /// Parses the text like ``JSONDocument``. Nil if the text is accepted.
    public init?(in bytes: Span<UInt8>, limits: JSONLimits) {
        do throws(JSONRejection) {
            _ = try JSONDocument(parsing: bytes, limits: limits)
            return nil
        } catch {
            rejection = error
        }
        position =
            StructureScan.indexOfFault(in: bytes, limits: limits).map { $0 &+ 1 }
            ?? JSONDocument.countOfBytesRead(in: bytes)
        member = rejection == .duplicateMember ? Self.name(endingAt: position, of: bytes) : nil
    }

    /// The name whose closing quote is at this position, counted from 1. Nil if there is none.
    private static func name(endingAt position: Int, of bytes: Span<UInt8>) -> String? {
        var index = 0
        while index < min(position, bytes.count) {
            guard bytes[index] == UInt8(ascii: "\"") else {
                index &+= 1
                continue
            }
            let end = bytes.endOfString(from: index) ?? bytes.count
            if end == position { return unescaped(bytes.extracting(index..<end)) }
            index = end
        }
        return nil
    }

    private static func unescaped(_ literal: Span<UInt8>) -> String? {
        var text = [UInt8(ascii: "[")]
        text.append(contentsOf: [UInt8](copying: literal))
        text.append(UInt8(ascii: "]"))
        return try? JSONDocument(parsing: text, limits: JSONLimits(bytes: .max)).root[index: 0]?.string
    }
}
