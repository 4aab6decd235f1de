import JOSE

/// Seals decisions that gateways exchange through an untrusted store: each text has a code that only holders of the
/// gateways' secret can make.
///
/// ```
/// TIME (16 digits)  0 or 1: removed, denies   HMAC-SHA256 (64 digits)  the line
/// ```
/// Texts about the same entry sort in the order of their decisions.
public struct DenialSeal: Sendable {
    private let pseudonyms: Pseudonyms
    private static let purpose: [UInt8] = Array("bearward denial\0".utf8)
    private static let (timeLength, codeLength) = (16, 64)
    /// Length of the prefix that orders decisions: the time, and which of two decisions at the same time wins.
    public static let orderLength = timeLength + 1
    static let headLength = orderLength + codeLength

    /// Returns nil if the secret is too short.
    public init?(secret: [UInt8]) {
        guard let pseudonyms = Pseudonyms(secret: secret) else { return nil }
        self.pseudonyms = pseudonyms
    }

    /// Seals a record. Returns the entry's name in the store and the sealed text. Nil if the cryptographic library
    /// failed.
    public func sealed(_ record: DenialRecord) -> (name: [UInt8], text: [UInt8])? {
        var line: [UInt8] = []
        record.append(to: &line)
        let digits = "\(record.decidedAt)"
        let time = Array(String(repeating: "0", count: max(0, Self.timeLength - digits.utf8.count)).utf8) + digits.utf8
        let head = time + [UInt8(ascii: record.isRemoved ? "0" : "1")]
        guard let code = code(head, line), let name = name(of: record) else { return nil }
        return (name, head + code + line)
    }

    /// Opens a sealed text. Nil if no holder of the secret made it.
    public func opened(_ text: [UInt8]) -> DenialRecord? {
        guard text.count > Self.headLength else { return nil }
        let (head, code) = (Array(text[..<Self.orderLength]), text[Self.orderLength..<Self.headLength])
        let line = Array(text[Self.headLength...])
        guard let own = self.code(head, line), Self.areEqual(own, code),
            let record = try? DenialRecord(restoring: line.span)
        else {
            return nil
        }
        return record
    }

    private func name(of record: DenialRecord) -> [UInt8]? {
        let bytes = Array("bearward denied\0".utf8) + record.key.bytes
        return pseudonyms.pseudonym(of: bytes.span).map { Array($0.prefix(32)) }
    }

    private func code(_ head: [UInt8], _ line: [UInt8]) -> [UInt8]? {
        let bytes = Self.purpose + head + line
        return pseudonyms.pseudonym(of: bytes.span)
    }

    /// Compares in constant time: it depends on the lengths only.
    private static func areEqual(_ own: [UInt8], _ other: ArraySlice<UInt8>) -> Bool {
        own.count == other.count && zip(own, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
