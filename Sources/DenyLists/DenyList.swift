import Synchronization
import TokenVerification

/// Where the entries of a list come from; each has a table of its own, and what any of them denies is denied.
public enum DenySource: String, Sendable, Hashable, CaseIterable {
    /// The file that the configuration names.
    case file
    /// What was added on the admin listener.
    case api
}

/// The tokens that are denied now, whatever their signatures and times say. One for the life of a process; asked on every request.
public final class DenyList: Sendable {
    /// Under which tokens are looked up.
    public let digests: DenyDigests
    private let tables: Mutex<[DenyTable]>
    /// Whether there is an entry at all, so that a list without any is not locked.
    private let isInUse = Atomic<Bool>(false)

    public init(_ digests: DenyDigests) {
        self.digests = digests
        tables = Mutex(DenySource.allCases.map { _ in .empty })
    }

    /// Puts a table in place of the source's last one; every request that is judged from now on is judged by it.
    public func replace(_ source: DenySource, by table: DenyTable) {
        guard let index = DenySource.allCases.firstIndex(of: source) else { return }
        tables.withLock { tables in
            // in bounds: one for each source
            tables[index] = table
            isInUse.store(tables.contains { !$0.isEmpty }, ordering: .releasing)
        }
    }

    /// The table of a source.
    public func table(of source: DenySource) -> DenyTable {
        zip(DenySource.allCases, tables.withLock { $0 }).first { $0.0 == source }?.1 ?? .empty
    }

    /// By what of it a token is denied; nil: it is not.
    public func attribute(denying marks: DenyMarks, at now: NumericDate) -> DeniedAttribute? {
        attribute(at: now, issuedAt: marks.issuedAt) { marks[$0] }
    }

    /// The same for marks that are read only if an entry could have them.
    @inline(__always)
    public func attribute(
        at now: NumericDate, issuedAt: @autoclosure () -> Double?, mark: (DeniedAttribute) -> UInt64
    ) -> DeniedAttribute? {
        guard isInUse.load(ordering: .acquiring) else { return nil }
        for table in tables.withLock({ $0 }) where !table.isEmpty {
            var bits = table.attributes
            while bits != 0 {
                let attribute = DeniedAttribute(index: bits.trailingZeroBitCount)
                if table.denies(mark(attribute), issuedAt: issuedAt, at: now) { return attribute }
                bits &= bits &- 1
            }
        }
        return nil
    }
}
