import StrictJSON
import TokenVerification

/// The last that was decided about one entry: that it denies, or that it was removed.
///
/// Gateways that share their entries exchange these. What was removed is remembered as long as the entry would have
/// denied, so that a gateway which was away meanwhile does not bring it back.
public struct DenialRecord: Sendable, Hashable {
    public let entry: DenyEntry
    /// In microseconds since 1970.
    public let decidedAt: UInt64
    public let isRemoved: Bool

    public init(_ entry: DenyEntry, decidedAt: UInt64, isRemoved: Bool = false) {
        self.entry = entry
        self.decidedAt = decidedAt
        self.isRemoved = isRemoved
    }

    /// Later than any record can be: 2286-11-20.
    static let latest: UInt64 = 9_999_999_999_999_999

    /// Identity of an entry. Entries about the same tokens with another `issued_before` are different ones.
    struct Key: Hashable {
        let bytes: [UInt8]
    }

    var key: Key { Key(bytes: Self.key(of: entry)) }

    private static func key(of entry: DenyEntry) -> [UInt8] {
        let before = entry.issuedBefore.map { "\(UInt64(max(0, $0.seconds)))" } ?? ""
        // No text of JSON that was read has a zero in it.
        return Array("\(entry.attribute.rawValue)\0\(before)\0".utf8) + entry.issuer.utf8 + [0] + entry.value.utf8
    }

    /// Whether it replaces another about the same entry. At the same time, the one that denies, and then the one that
    /// denies for longer.
    func replaces(_ other: DenialRecord) -> Bool {
        if decidedAt != other.decidedAt { return decidedAt > other.decidedAt }
        if isRemoved != other.isRemoved { return other.isRemoved }
        return entry.expires.seconds > other.entry.expires.seconds
    }

    // MARK: One line

    /// Appends it as one line, as it is read again.
    public func append(to bytes: inout [UInt8]) {
        var json = JSONObjectWriter()
        json.beginObject(into: &bytes)
        entry.appendMembers(with: &json, to: &bytes)
        json.member("decided_at", integer: Int64(clamping: decidedAt), into: &bytes)
        if isRemoved { json.member("removed", boolean: true, into: &bytes) }
        json.end(into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Reads what ``append(to:)`` wrote; the issuer need not be known any more.
    public init(restoring bytes: Span<UInt8>) throws(DenyProblem) {
        let document = try DenyEntry.document(restoring: bytes)
        let decidedAt = document.root[member: "decided_at"]?.integer ?? 0
        guard decidedAt >= 0, decidedAt <= Self.latest else { throw DenyProblem("`decided_at` is not a time") }
        self.init(
            try DenyEntry(restored: document.root), decidedAt: UInt64(decidedAt),
            isRemoved: document.root[member: "removed"]?.boolean ?? false)
    }
}
