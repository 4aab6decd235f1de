import StrictJSON
import TokenVerification

/// The last decision about one entry: that it denies tokens, or that it was removed.
///
/// Gateways that share entries exchange these records. A removal is kept for as long as the entry would have denied
/// tokens, so that a gateway that was offline meanwhile does not restore the entry.
public struct DenialRecord: Sendable, Hashable {
    public let entry: DenyEntry
    /// Time of the decision, in microseconds since 1970.
    public let decidedAt: UInt64
    public let isRemoved: Bool

    public init(_ entry: DenyEntry, decidedAt: UInt64, isRemoved: Bool = false) {
        self.entry = entry
        self.decidedAt = decidedAt
        self.isRemoved = isRemoved
    }

    /// Latest permitted time of a decision: 2286-11-20.
    static let latest: UInt64 = 9_999_999_999_999_999

    /// Identity of an entry. Entries about the same tokens with different `issued_before` are different entries.
    struct Key: Hashable {
        let bytes: [UInt8]
    }

    var key: Key { Key(bytes: Self.key(of: entry)) }

    private static func key(of entry: DenyEntry) -> [UInt8] {
        let before = entry.issuedBefore.map { "\(UInt64(max(0, $0.seconds)))" } ?? ""
        // JSON texts that were parsed never contain a zero byte.
        return Array("\(entry.attribute.rawValue)\0\(before)\0".utf8) + entry.issuer.utf8 + [0] + entry.value.utf8
    }

    /// Whether this decision replaces another one about the same entry: the later one wins. At the same time, the one
    /// that denies wins, then the one that denies for longer, then the one whose note is later in byte order.
    func replaces(_ other: DenialRecord) -> Bool {
        if decidedAt != other.decidedAt { return decidedAt > other.decidedAt }
        if isRemoved != other.isRemoved { return other.isRemoved }
        if entry.expires != other.entry.expires { return entry.expires > other.entry.expires }
        return (other.entry.note ?? "").utf8.lexicographicallyPrecedes((entry.note ?? "").utf8)
    }

    // MARK: One line

    /// Appends the record as one line of JSON, which `init(restoring:)` reads.
    public func append(to bytes: inout [UInt8]) {
        var json = JSONObjectWriter()
        json.beginObject(into: &bytes)
        entry.appendMembers(with: &json, to: &bytes)
        json.member("decided_at", integer: Int64(clamping: decidedAt), into: &bytes)
        if isRemoved { json.member("removed", boolean: true, into: &bytes) }
        json.end(into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Reads a line that ``append(to:)`` wrote. The issuer need not be configured any more.
    public init(restoring bytes: Span<UInt8>) throws(DenyProblem) {
        let document = try DenyEntry.document(restoring: bytes)
        let decidedAt = document.root[member: "decided_at"]?.integer ?? 0
        guard decidedAt >= 0, decidedAt <= Self.latest else { throw DenyProblem("`decided_at` is not a time") }
        self.init(
            try DenyEntry(restored: document.root), decidedAt: UInt64(decidedAt),
            isRemoved: document.root[member: "removed"]?.boolean ?? false)
    }
}
