import DenyLists
import SharedQuotas
import TokenVerification

/// The other gateways that share denials with this one by a store, as far as their decisions are known here.
///
/// Each reads what others wrote since, and writes what it decides. What a store does not have any more, one of those
/// that know it brings back.
struct DenialPeers: Sendable {
    let settings: StoreSettings
    private let store: any RecordStore
    private let seal: DenialSeal
    private var cursor: RecordCursor?
    /// Whether the store may lack something that is known here.
    private var isBehind = true
    /// When all that others had decided was known here last.
    private(set) var caughtUpAt: ContinuousClock.Instant?
    /// Why that failed last; nil: it did not.
    private(set) var fault: StoreFault?

    /// nil: the secret is too short.
    init?(_ settings: StoreSettings) {
        self.init(settings, store: SharedRecords(settings, name: "denials", orderLength: DenialSeal.orderLength))
    }

    /// The same over another store.
    init?(_ settings: StoreSettings, store: any RecordStore) {
        guard let seal = DenialSeal(secret: settings.secret) else { return nil }
        self.settings = settings
        self.seal = seal
        self.store = store
    }

    /// Takes over what others decided, and tells them what they may not know.
    ///
    /// - Returns: their decisions; what was read before the store failed counts too.
    mutating func exchange(knowing own: DenialRecords) async -> [DenialRecord] {
        var taken: [DenialRecord] = []
        do throws(StoreFault) {
            try await read(into: &taken)
            if isBehind {
                var others = DenialRecords()
                for record in taken { _ = others.merge(record) }
                try await write(own.all.filter { others.lacks($0) })
                isBehind = false
            }
            (caughtUpAt, fault) = (.now, nil)
        } catch {
            (isBehind, fault) = (true, error)
            // What it has must be known as a whole, to see what it lacks.
            cursor = nil
        }
        return taken
    }

    /// Tells others of decisions; those that they cannot be told now, they are told later.
    ///
    /// - Returns: whether the store has them.
    mutating func tell(_ records: [DenialRecord]) async -> Bool {
        do throws(StoreFault) {
            try await write(records)
            return true
        } catch {
            (isBehind, fault, cursor) = (true, error, nil)
            return false
        }
    }

    // MARK: The store

    private mutating func read(into taken: inout [DenialRecord]) async throws(StoreFault) {
        // Twice as many as there can be, since they may change while they are read.
        for _ in 0...(2 * DenialRecords.mostRecords / SharedRecords.pageSize) {
            let page = try await store.read(after: cursor)
            if page.isAnew {
                taken = []
                isBehind = true
            }
            cursor = page.cursor
            taken += page.texts.compactMap(seal.opened)
            if page.isLast { return }
        }
        throw .invalid
    }

    private func write(_ records: [DenialRecord]) async throws(StoreFault) {
        var rest = records[...]
        while !rest.isEmpty {
            let page = rest.prefix(SharedRecords.pageSize).compactMap(shared)
            rest = rest.dropFirst(SharedRecords.pageSize)
            if !page.isEmpty { try await store.write(page) }
        }
    }

    private func shared(_ record: DenialRecord) -> SharedRecord? {
        seal.sealed(record).map {
            SharedRecord(name: $0.name, text: $0.text, over: Int64(record.entry.expires.seconds))
        }
    }
}
