import Synchronization
import TokenVerification

/// Source of a list's entries. Each source has its own table, and a token is denied if any table denies it.
public enum DenySource: String, Sendable, Hashable, CaseIterable {
    /// The file that the configuration names.
    case file
    /// Entries that were added on the admin listener.
    case api
}

/// The deny list of one configuration: tokens that are denied regardless of their signatures and times.
///
/// Every request is checked against it. The lists of one process share their tables.
public final class DenyList: Sendable {
    /// Digests by which tokens are looked up.
    public let digests: DenyDigests
    private let tables: DenyTables
    /// Table of the previous configuration's deny file, whose entries may mean other tokens under the present one.
    private let kept = Mutex<DenyTable?>(nil)
    private let hasKept = Atomic<Bool>(false)
    /// Reason why entries that were added to a running gateway are not known, for explanations. Nil if they are known.
    public let unknownAdditions: String?

    /// Makes the first list of a process, with new tables.
    ///
    /// - Parameter unknownAdditions: reason why added entries are not known. Nil if they are.
    public convenience init(_ digests: DenyDigests, unknownAdditions: String? = nil) {
        self.init(digests, DenyTables(), unknownAdditions: unknownAdditions)
    }

    private init(_ digests: DenyDigests, _ tables: DenyTables, unknownAdditions: String? = nil) {
        self.digests = digests
        self.tables = tables
        self.unknownAdditions = unknownAdditions
    }

    /// Makes the list of the next configuration. It shares the tables, so later replacements affect both lists.
    public func successor() -> DenyList { DenyList(digests, tables) }

    /// Keeps the present table of the deny file before the next configuration replaces it.
    ///
    /// Event loops that still have this configuration continue to deny by its names of issuers.
    public func keepFileTable() {
        let table = table(of: .file)
        kept.withLock { $0 = table }
        hasKept.store(!table.isEmpty, ordering: .releasing)
    }

    /// Replaces the table of a source. Every later check uses the new table.
    public func replace(_ source: DenySource, by table: DenyTable) {
        tables.replace(source, by: table)
    }

    /// The table of a source.
    public func table(of source: DenySource) -> DenyTable { tables.table(of: source) }

    /// Whether the list has any entries. If not, no token needs to be looked up.
    public var isInUse: Bool { tables.isInUse || hasKept.load(ordering: .acquiring) }

    /// The attribute by which a token is denied. Nil if the token is not denied.
    public func attribute(denying marks: DenyMarks, at now: NumericDate) -> DeniedAttribute? {
        attribute(at: now, issuedAt: marks.issuedAt) { marks[$0] }
    }

    /// The attribute by which a token is denied. Nil if it is not denied. Computes a mark only if some entry names that
    /// attribute.
    @inline(__always)
    public func attribute(
        at now: NumericDate, issuedAt: @autoclosure () -> Double?, mark: (DeniedAttribute) -> UInt64
    ) -> DeniedAttribute? {
        if tables.isInUse {
            for table in tables.all where !table.isEmpty {
                if let attribute = table.attribute(at: now, issuedAt: issuedAt, mark: mark) { return attribute }
            }
        }
        // Checked after the tables: the old table was kept before its replacement became visible.
        guard hasKept.load(ordering: .acquiring), let table = kept.withLock({ $0 }) else { return nil }
        return table.attribute(at: now, issuedAt: issuedAt, mark: mark)
    }
}
