import TokenVerification

/// Immutable lookup table with the entries of one source. It needs 17 bytes for each entry.
///
/// Rows of 16 bytes are sorted by their marks, which are distributed evenly. A directory has the start of each group of
/// about four rows, so a lookup reads one element of the directory and one group.
public final class DenyTable: Sendable {
    struct Row {
        let mark: UInt64
        /// Tokens issued before this are denied, in seconds since 1970. The greatest value denies all tokens.
        let issuedBefore: UInt32
        /// Time of expiry, in seconds since 1970.
        let expires: UInt32

        func denies(issuedAt: Double?, at now: Double) -> Bool {
            guard now < Double(expires) else { return false }
            return issuedBefore == .max || issuedAt.map { $0 < Double(issuedBefore) } ?? true
        }

        /// Sorts rows by mark. Rows with the same mark start with the one that denies most.
        static func precedes(_ left: Row, _ right: Row) -> Bool {
            if left.mark != right.mark { return left.mark < right.mark }
            if left.issuedBefore != right.issuedBefore { return left.issuedBefore > right.issuedBefore }
            return left.expires > right.expires
        }
    }

    private let rows: [Row]
    /// Index of the first row of each group. The last element is the number of rows.
    private let starts: [UInt32]
    /// Bit set of the attributes that some entry names.
    let attributes: UInt8

    /// Maximum number of entries of a source. 32 bits are enough for their indices.
    public static let mostEntries = 20_000_000
    private static let rowsOfGroup = 4

    public static let empty = DenyTable([], attributes: 0)

    /// Makes a table.
    ///
    /// - Parameter rows: sorted rows, without redundant ones.
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

    /// Index of a mark's group: the mark as a fraction of all marks, times the number of groups.
    private static func group(of mark: UInt64, among groups: Int) -> Int {
        Int(truncatingIfNeeded: mark.multipliedFullWidth(by: UInt64(truncatingIfNeeded: groups)).high)
    }

    public var isEmpty: Bool { rows.isEmpty }

    /// Memory of rows and directory, in bytes.
    public var byteCount: Int {
        rows.capacity * MemoryLayout<Row>.stride + starts.capacity * MemoryLayout<UInt32>.stride
    }

    /// Number of entries that have not expired. Reads all rows.
    public func count(at now: NumericDate) -> Int {
        rows.reduce(0) { $0 + (now.seconds < Double($1.expires) ? 1 : 0) }
    }

    /// Number of rows that the slowest lookup reads.
    var longestGroup: Int {
        zip(starts, starts.dropFirst()).reduce(0) { max($0, Int($1.1 &- $1.0)) }
    }

    /// The attribute by which a token is denied. Nil if it is not denied. Computes a mark only if some entry names that
    /// attribute.
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
        // in bounds: the last element of the directory is the number of rows
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
    /// Collects entries in any order, and makes a table.
    public struct Builder: Sendable {
        private let digests: DenyDigests
        private var rows: [Row] = []
        private var attributes: UInt8 = 0

        public init(_ digests: DenyDigests) {
            self.digests = digests
        }

        /// Number of collected entries, including redundant ones.
        public var count: Int { rows.count }

        /// Adds an entry. False if the cryptographic library failed.
        public mutating func add(_ entry: DenyEntry) -> Bool {
            guard let mark = digests.mark(entry.issuer, entry.attribute, entry.value) else { return false }
            let row = Row(
                mark: mark, issuedBefore: entry.issuedBefore.map { min(.max - 1, Self.wholeSeconds($0)) } ?? .max,
                expires: Self.wholeSeconds(entry.expires))
            rows.append(row)
            attributes |= entry.attribute.bit
            return true
        }

        /// Whole seconds since 1970, rounded up and limited to the year 2106, which is practically never.
        private static func wholeSeconds(_ date: NumericDate) -> UInt32 {
            UInt32(max(0, min(Double(UInt32.max), date.seconds.rounded(.up))))
        }

        /// Makes the table of all entries that have not expired.
        public consuming func table(at now: NumericDate) -> DenyTable {
            rows.removeAll { Double($0.expires) <= now.seconds }
            rows.sort(by: Row.precedes)
            var kept: [Row] = []
            kept.reserveCapacity(rows.count)
            var latest: UInt32 = 0
            for row in rows {
                if row.mark != kept.last?.mark { latest = 0 }
                // Earlier rows of the same mark deny the same tokens or more. This row matters only if it expires
                // later.
                guard row.expires > latest else { continue }
                latest = row.expires
                kept.append(row)
            }
            return DenyTable(kept, attributes: kept.isEmpty ? 0 : attributes)
        }
    }
}
