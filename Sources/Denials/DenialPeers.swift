import AccessControl
import SharedState
import TokenVerification

/// The other gateways that share denials with this one by a store, as far as their decisions are known here.
///
/// Each reads what others wrote since, and writes what it decides. What a store does not have any more, one of those
/// that know it brings back.
actor DenialPeers {
    let settings: StoreSettings
    private let store: any RecordStore
    private let seal: DenialSeal
    private var cursor: RecordCursor?
    /// Whether the store may lack something that is known here.
    private var isBehind = true

    /// Nil if the secret is too short.
    ///
    /// - Parameter store: nil for the one that the settings name.
    init?(_ settings: StoreSettings, store: (any RecordStore)? = nil) {
        guard let seal = DenialSeal(secret: settings.secret) else { return nil }
        (self.settings, self.seal) = (settings, seal)
        self.store = store ?? SharedRecords(settings, name: "denials", orderLength: DenialSeal.orderLength)
    }

    /// Takes over what others decided, and tells them what they may not know.
    ///
    /// - Returns: their decisions; what was read before the store failed counts too. The fault is nil if it did not
    ///   fail.
    func exchange(knowing own: DenialRecords) async -> (taken: [DenialRecord], fault: StoreFault?) {
        var taken: [DenialRecord] = []
        do throws(StoreFault) {
            try await read(into: &taken)
            if isBehind {
                var others = DenialRecords()
                for record in taken { _ = others.merge(record) }
                try await write(own.all.filter { others.lacks($0) })
                isBehind = false
            }
            return (taken, nil)
        } catch {
            // What it has must be known as a whole, to see what it lacks.
            (isBehind, cursor) = (true, nil)
            return (taken, error)
        }
    }

    /// Tells others of decisions; those that they cannot be told now, they are told later.
    ///
    /// - Returns: nil if the store has them.
    func tell(_ records: [DenialRecord]) async -> StoreFault? {
        do throws(StoreFault) {
            try await write(records)
            return nil
        } catch {
            (isBehind, cursor) = (true, nil)
            return error
        }
    }

    // MARK: The store

    private func read(into taken: inout [DenialRecord]) async throws(StoreFault) {
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
            let page = rest.prefix(SharedRecords.pageSize).compactMap { record in
                let over = Int64(record.entry.expires.seconds)
                return seal.sealed(record).map { SharedRecord(name: $0.name, text: $0.text, over: over) }
            }
            rest = rest.dropFirst(SharedRecords.pageSize)
            if !page.isEmpty { try await store.write(page) }
        }
    }
}
