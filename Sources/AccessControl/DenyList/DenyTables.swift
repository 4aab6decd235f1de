import Synchronization

/// The tables in force: one for each source, shared by all lists of the process.
final class DenyTables: Sendable {
    private let tables = Mutex(DenySource.allCases.map { _ in DenyTable.empty })
    /// Whether any table has an entry. Without one, lookups do not take the lock.
    private let hasEntries = Atomic<Bool>(false)

    var isInUse: Bool { hasEntries.load(ordering: .acquiring) }

    var all: [DenyTable] { tables.withLock { $0 } }

    func replace(_ source: DenySource, by table: DenyTable) {
        guard let index = DenySource.allCases.firstIndex(of: source) else { return }
        tables.withLock { tables in
            // in bounds: one for each source
            tables[index] = table
            hasEntries.store(tables.contains { !$0.isEmpty }, ordering: .releasing)
        }
    }

    func table(of source: DenySource) -> DenyTable {
        zip(DenySource.allCases, all).first { $0.0 == source }?.1 ?? .empty
    }
}
