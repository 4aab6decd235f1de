import Synchronization
import TokenVerification

/// Source of a list's entries. Each source has its own table, and a token is denied if any table denies it.
public enum DenySource: String, Sendable, Hashable, CaseIterable {
    /// The file that the configuration names.
    case file
    /// Entries that were added on the admin listener.
    case api
}

/// The tokens that are denied now, whatever their signatures and times say. One for each configuration, asked on every
/// request; those of a process have their tables in common.
public final class DenyList: Sendable {
    /// Under which tokens are looked up.
    public let digests: DenyDigests
    private let tables: DenyTables
    /// Table of the deny file of an earlier configuration, whose entries may mean other tokens under the present one.
    private let kept = Mutex<DenyTable?>(nil)
    private let hasKept = Atomic<Bool>(false)

    /// With tables of its own.
    public convenience init(_ digests: DenyDigests) {
        self.init(digests, DenyTables())
    }

    private init(_ digests: DenyDigests, _ tables: DenyTables) {
        self.digests = digests
        self.tables = tables
    }

    /// The list of the next configuration: whatever is replaced in one from now on is in both.
    public func successor() -> DenyList { DenyList(digests, tables) }

    /// Keeps what the file says now, before another configuration's takes its place: event loops that still have this
    /// one go on denying by the names that it has for its issuers.
    public func keepFileTable() {
        let table = table(of: .file)
        kept.withLock { $0 = table }
        hasKept.store(!table.isEmpty, ordering: .releasing)
    }

    /// Puts a table in place of the source's last one; every request that is judged from now on is judged by it.
    public func replace(_ source: DenySource, by table: DenyTable) {
        tables.replace(source, by: table)
    }

    /// The table of a source.
    public func table(of source: DenySource) -> DenyTable { tables.table(of: source) }

    /// Whether any token could be denied.
    public var isInUse: Bool { tables.isInUse || hasKept.load(ordering: .acquiring) }

    /// The attribute by which a token is denied. Nil if it is not.
    public func attribute(denying marks: DenyMarks, at now: NumericDate) -> DeniedAttribute? {
        attribute(at: now, issuedAt: marks.issuedAt) { marks[$0] }
    }

    /// The same for marks that are read only if an entry could have them.
    @inline(__always)
    public func attribute(
        at now: NumericDate, issuedAt: @autoclosure () -> Double?, mark: (DeniedAttribute) -> UInt64
    ) -> DeniedAttribute? {
        if tables.isInUse {
            for table in tables.all where !table.isEmpty {
                if let attribute = table.attribute(at: now, issuedAt: issuedAt, mark: mark) { return attribute }
            }
        }
        // After the tables: what is kept was kept before the table that takes its place was seen.
        guard hasKept.load(ordering: .acquiring), let table = kept.withLock({ $0 }) else { return nil }
        return table.attribute(at: now, issuedAt: issuedAt, mark: mark)
    }
}
