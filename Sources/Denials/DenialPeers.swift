import AccessControl
import SharedState
import TokenVerification

/// Exchange of decisions with other gateways through a shared store.
///
/// Each gateway reads what others have written since its last exchange, and writes its own decisions. If the store lost
/// decisions, any gateway that knows them writes them again.
actor DenialPeers {
    let settings: StoreSettings
    private let store: any RecordStore
    private let seal: DenialSeal
    private var cursor: RecordCursor?
    /// Whether the store may lack decisions that are known here.
    private var isBehind = true

    /// Returns nil if the secret is too short.
    ///
    /// - Parameter store: the store. Nil for the one in the settings.
    init?(_ settings: StoreSettings, store: (any RecordStore)? = nil) {
        guard let seal = DenialSeal(secret: settings.secret) else { return nil }
        (self.settings, self.seal) = (settings, seal)
        self.store = store ?? SharedRecords(settings, name: "denials", orderLength: DenialSeal.orderLength)
    }

    /// Reads decisions of other gateways, and writes those that the store may lack.
    ///
    /// - Returns: decisions of others, including those read before the store failed, and the failure. The failure is
    ///   nil if the store did not fail.
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
            // The whole store must be read again to find what it lacks.
            (isBehind, cursor) = (true, nil)
            return (taken, error)
        }
    }

    /// Writes decisions to the store. If that fails, the next exchange writes them.
    ///
    /// - Returns: the failure. Nil if the store has them.
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
        // Up to twice the maximum number of records, since they may change while they are read.
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
