import PrecomputedECDSA
import Synchronization

/// Tables of multiples of EC keys, with which a signature takes a fraction of the time that libcrypto takes.
///
/// Only keys of published key sets get a table, the most used ones first. libcrypto verifies until a table is ready,
/// and repeats some of a table's verifications. If a verdict ever differs, libcrypto's counts, and no table is used
/// again.
public final class KeyTables: Sendable {
    private let state: Mutex<State>
    private let hasFailedOnce = Atomic<Bool>(false)
    private let verifications = Atomic<UInt64>(0)
    private let repetitions = Atomic<UInt64>(0)
    private let wake: @Sendable (KeyTables) -> Void
    private let report: @Sendable (TableEvent) -> Void

    private struct State {
        var limit: Int
        /// Published keys, in the order of their publication.
        var keys: [PublishedKey] = []
        /// Curves whose self-test was made, with its result.
        var tested: [(curve: PrimeCurve, passes: Bool)] = []
        var difference: TableDifference?
    }

    private struct PublishedKey {
        let thumbprint: [UInt8]
        weak var key: TabledKey?
        /// True if no table could be made of it.
        var hasNone = false
    }

    /// Makes an empty object.
    ///
    /// - Parameters:
    ///   - limit: greatest number of tables. With zero, libcrypto verifies everything.
    ///   - wake: called when there may be tables to build, so that another thread calls ``build()``.
    ///   - report: called for events that an operator should know of, by the thread that notices them.
    public init(
        limit: Int, wake: @escaping @Sendable (KeyTables) -> Void, report: @escaping @Sendable (TableEvent) -> Void
    ) {
        state = Mutex(State(limit: limit))
        (self.wake, self.report) = (wake, report)
    }

    /// Changes the greatest number of tables.
    public func setLimit(_ limit: Int) {
        let isNew = state.withLock { state in
            defer { state.limit = limit }
            return state.limit != limit
        }
        if isNew { wake(self) }
    }

    /// Notes the keys of a published set. Keys whose material is known get its table at once.
    public func publish(_ keys: [VerificationKey]) {
        // A set is published often without a change, as when a stranger asks for keys that it does not have.
        let keys = keys.filter { !$0.isPublished }
        guard !keys.isEmpty else { return }
        let hasNew = state.withLock { state in
            state.keys.removeAll { $0.key == nil }
            return keys.reduce(false) { note($1, in: &state) || $0 }
        }
        if hasNew { wake(self) }
    }

    /// True if the key is new and can have a table.
    private func note(_ key: VerificationKey, in state: inout State) -> Bool {
        guard case .ellipticCurve(let curve, let x, let y) = key.material, let curve = PrimeCurve(curve) else {
            return false
        }
        if let known = state.keys.first(where: { $0.thumbprint == key.thumbprint })?.key {
            key.use(known)
            return false
        }
        let tabled = TabledKey(key, curve, x: x, y: y, self)
        key.use(tabled)
        state.keys.append(PublishedKey(thumbprint: key.thumbprint, key: tabled))
        return true
    }

    /// Keys that are in use, in the order of their publication.
    var published: [TabledKey] { state.withLock { $0.keys.compactMap(\.key) } }

    // MARK: Building

    /// Builds the tables that are due, and drops those that others displace. Takes some 0.1 seconds for each. For one
    /// thread at a time.
    public func build() {
        let (chosen, others) = ranked()
        for key in others { key.table = nil }
        for key in chosen where key.table == nil && !haveFailed { build(key) }
    }

    /// Lets recent signatures count more than earlier ones, and then builds the tables that are due. To be called once
    /// a minute, by the thread that builds.
    public func reconsider() {
        for key in published { key.halveUses() }
        build()
    }

    private func ranked() -> (chosen: [TabledKey], others: [TabledKey]) {
        let (limit, keys) = state.withLock { state in (state.limit, state.keys.compactMap { $0.hasNone ? nil : $0.key })
        }
        guard !haveFailed else { return ([], keys) }
        // A key with a table is displaced by one that is used twice as much. The sort is stable.
        let ranked = keys.map { (key: $0, weight: ($0.table == nil ? 1 : 2) &* ($0.uses &+ 1)) }
            .sorted { $0.weight > $1.weight }.map(\.key)
        return (Array(ranked.prefix(limit)), Array(ranked.dropFirst(limit)))
    }

    private func build(_ key: TabledKey) {
        guard isSound(key.curve) else { return giveUp(key) }
        do throws(KeyTableFailure) {
            key.table = try KeyTable(key.curve, x: key.x, y: key.y)
            // A failure while the table was built did not see it.
            if haveFailed { key.table = nil }
        } catch {
            report(.notBuilt(keyID: key.keyID, curve: Curve(key.curve), error))
            giveUp(key)
        }
    }

    /// Tests the tables of a curve once, with a known signature.
    private func isSound(_ curve: PrimeCurve) -> Bool {
        if let known = state.withLock({ state in state.tested.first { $0.curve == curve } }) { return known.passes }
        do throws(KeyTableFailure) {
            try KeyTable.selfTest(curve)
            state.withLock { $0.tested.append((curve, true)) }
            return true
        } catch {
            state.withLock { $0.tested.append((curve, false)) }
            report(.noTables(of: Curve(curve), error))
            return false
        }
    }

    private func giveUp(_ key: TabledKey) {
        state.withLock { state in
            for index in state.keys.indices where state.keys[index].thumbprint == key.thumbprint {
                state.keys[index].hasNone = true
            }
        }
    }

    // MARK: Use

    /// True once a table's verdict differed from libcrypto's. No table is used from then on.
    public var haveFailed: Bool { hasFailedOnce.load(ordering: .acquiring) }

    /// Number that grows when the tables have failed: a token that was verified before does not count as verified
    /// any more, since a table may have verified it.
    public var epoch: UInt64 { haveFailed ? 1 : 0 }

    func noteVerification(isRepeated: Bool) {
        verifications.wrappingAdd(1, ordering: .relaxed)
        if isRepeated { repetitions.wrappingAdd(1, ordering: .relaxed) }
    }

    /// Ends the use of all tables.
    func fail(_ difference: TableDifference) {
        guard !hasFailedOnce.exchange(true, ordering: .acquiringAndReleasing) else { return }
        state.withLock { $0.difference = difference }
        for key in published { key.table = nil }
        report(.differs(difference))
    }

    public var status: KeyTablesStatus {
        let difference = state.withLock { $0.difference }
        let tables = published.compactMap(\.table)
        return KeyTablesStatus(
            tables: tables.count, bytes: tables.reduce(0) { $0 + $1.byteCount },
            verifications: verifications.load(ordering: .relaxed), repetitions: repetitions.load(ordering: .relaxed),
            difference: difference)
    }
}

extension PrimeCurve {
    /// Nil for the curves of Edwards.
    fileprivate init?(_ curve: Curve) {
        switch curve {
        case .p256: self = .p256
        case .p384: self = .p384
        case .p521: self = .p521
        case .ed25519, .ed448: return nil
        }
    }
}

extension Curve {
    fileprivate init(_ curve: PrimeCurve) {
        switch curve {
        case .p256: self = .p256
        case .p384: self = .p384
        case .p521: self = .p521
        }
    }
}
