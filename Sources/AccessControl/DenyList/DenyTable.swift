import TokenVerification

/// Entries of one source, ready to be looked up: immutable, and 17 bytes for each entry.
///
/// Rows of 16 bytes stand sorted by their marks, which are as good as random. A directory says where each group of
/// about four begins, so a look-up reads one place of the directory and one of the rows.
public final class DenyTable: Sendable {
    struct Row {
        let mark: UInt64
        /// Seconds since 1970; the greatest: whenever it was issued.
        let issuedBefore: UInt32
        /// Seconds since 1970.
        let expires: UInt32

        func denies(issuedAt: Double?, at now: Double) -> Bool {
            guard now < Double(expires) else { return false }
            return issuedBefore == .max || issuedAt.map { $0 < Double(issuedBefore) } ?? true
        }

        /// By mark; of one mark, what denies most goes first.
        static func precedes(_ left: Row, _ right: Row) -> Bool {
            if left.mark != right.mark { return left.mark < right.mark }
            if left.issuedBefore != right.issuedBefore { return left.issuedBefore > right.issuedBefore }
            return left.expires > right.expires
        }
    }

    private let rows: [Row]
    /// Index of the first row of each group, and the number of rows at the end.
    private let starts: [UInt32]
    /// The bits of the attributes that some entry names.
    let attributes: UInt8

    /// More entries than any source may have; their indices need no more bits.
    public static let mostEntries = 20_000_000
    private static let rowsOfGroup = 4

    public static let empty = DenyTable([], attributes: 0)

    /// - Parameter rows: sorted, and none that another makes superfluous.
    fileprivate init(_ rows: [Row], attributes: UInt8) {
        self.rows = rows
        self.attributes = attributes
        let groups = max(1, rows.count / Self.rowsOfGroup)
        var starts: [UInt32] = []
        starts.reserveCapacity(groups + 1)
        for (index, row) in rows.enumerated() {
            let group = Self.group(of: row.mark, among: groups)
            while starts.count <= group { starts.append(UInt32(truncatingIfNeeded: index)) }
        }
        while starts.count <= groups { starts.append(UInt32(truncatingIfNeeded: rows.count)) }
        self.starts = starts
    }

    /// The mark as a fraction of all marks, times the groups.
    private static func group(of mark: UInt64, among groups: Int) -> Int {
        Int(truncatingIfNeeded: mark.multipliedFullWidth(by: UInt64(truncatingIfNeeded: groups)).high)
    }

    public var isEmpty: Bool { rows.isEmpty }

    /// Bytes of memory for rows and directory.
    public var byteCount: Int {
        rows.capacity * MemoryLayout<Row>.stride + starts.capacity * MemoryLayout<UInt32>.stride
    }

    /// Entries that deny something; all are looked at.
    public func count(at now: NumericDate) -> Int {
        rows.reduce(0) { $0 + (now.seconds < Double($1.expires) ? 1 : 0) }
    }

    /// Rows that the slowest look-up reads.
    var longestGroup: Int {
        zip(starts, starts.dropFirst()).reduce(0) { max($0, Int($1.1 &- $1.0)) }
    }

    /// By what a token is denied; its marks are read only if an entry could have them.
    @inline(__always)
    func attribute(at now: NumericDate, issuedAt: () -> Double?, mark: (DeniedAttribute) -> UInt64) -> DeniedAttribute?
    {
        var bits = attributes
        while bits != 0 {
            let attribute = DeniedAttribute(index: bits.trailingZeroBitCount)
            if denies(mark(attribute), issuedAt: issuedAt, at: now) { return attribute }
            bits &= bits &- 1
        }
        return nil
    }

    func denies(_ mark: UInt64, issuedAt: () -> Double?, at now: NumericDate) -> Bool {
        guard mark != 0 else { return false }
        let group = Self.group(of: mark, among: starts.count &- 1)
        guard group >= 0, group &+ 1 < starts.count else { return false }
        // in bounds: the directory's last place is the count of rows
        var index = Int(starts[group])
        let end = Int(starts[group &+ 1])
        while index < end {
            let row = rows[index]
            if row.mark == mark, row.denies(issuedAt: issuedAt(), at: now.seconds) { return true }
            index &+= 1
        }
        return false
    }
}

extension DenyTable {
    /// Takes entries in, in any order.
    public struct Builder: Sendable {
        private let digests: DenyDigests
        private var rows: [Row] = []
        private var attributes: UInt8 = 0

        public init(_ digests: DenyDigests) {
            self.digests = digests
        }

        /// Entries taken in, those included that others make superfluous.
        public var count: Int { rows.count }

        /// False: the cryptographic library failed.
        public mutating func add(_ entry: DenyEntry) -> Bool {
            guard let mark = digests.mark(entry.issuer, entry.attribute, entry.value) else { return false }
            let row = Row(
                mark: mark, issuedBefore: entry.issuedBefore.map { min(.max - 1, Self.wholeSeconds($0)) } ?? .max,
                expires: Self.wholeSeconds(entry.expires))
            rows.append(row)
            attributes |= entry.attribute.bit
            return true
        }

        /// Up to 2106, which is as good as for ever.
        private static func wholeSeconds(_ date: NumericDate) -> UInt32 {
            UInt32(max(0, min(Double(UInt32.max), date.seconds.rounded(.up))))
        }

        /// The table of all that is not over yet.
        public consuming func table(at now: NumericDate) -> DenyTable {
            rows.removeAll { Double($0.expires) <= now.seconds }
            rows.sort(by: Row.precedes)
            var kept: [Row] = []
            kept.reserveCapacity(rows.count)
            var latest: UInt32 = 0
            for row in rows {
                if row.mark != kept.last?.mark { latest = 0 }
                // Whatever came before of this mark denies as many tokens or more: it only counts if it does so for
                // longer.
                guard row.expires > latest else { continue }
                latest = row.expires
                kept.append(row)
            }
            return DenyTable(kept, attributes: kept.isEmpty ? 0 : attributes)
        }
    }
}
