import PrecomputedECDSA
import Synchronization

/// A published EC key for ``KeyTables``, with or without a table. All ``VerificationKey``s of the same material share
/// it.
final class TabledKey: Sendable {
    let thumbprint: [UInt8]
    /// The `kid` of the first key with this material, for the log. Nil if it has none.
    let keyID: String?
    let curve: PrimeCurve
    let x: [UInt8]
    let y: [UInt8]
    private let tables: KeyTables
    private let valid = Atomic<UInt64>(0)
    private let use = Mutex<Use?>(nil)

    /// A table, and the number of its verifications that libcrypto has repeated because the table was new.
    private struct Use {
        let table: KeyTable
        var repeated = 0
    }

    /// Verifications that libcrypto repeats for each new table.
    static let firstRepeated = 100
    /// One in this many later verifications is repeated. Drawn anew each time, so that no sender can know which.
    static let repeatedOneIn = 1000

    init(_ key: VerificationKey, _ curve: PrimeCurve, x: [UInt8], y: [UInt8], _ tables: KeyTables) {
        (thumbprint, keyID, self.curve, self.x, self.y, self.tables) = (
            key.thumbprint, key.keyID, curve, x, y, tables
        )
    }

    /// Number of valid signatures of the key. Halved from time to time, so that recent ones count more.
    var uses: UInt64 { valid.load(ordering: .relaxed) }

    var table: KeyTable? {
        get { use.withLock { $0?.table } }
        set { use.withLock { $0 = newValue.map { Use(table: $0) } } }
    }

    /// Replaces the table as if it had changed in memory: it does not count as new. For tests.
    func replaceTable(_ table: KeyTable) {
        use.withLock { $0 = Use(table: table, repeated: Self.firstRepeated) }
    }

    func noteValid() { valid.wrappingAdd(1, ordering: .relaxed) }

    func halveUses() { valid.store(uses / 2, ordering: .relaxed) }

    /// Checks a signature by the table. Nil if there is none, or if libcrypto must verify for another reason.
    ///
    /// If libcrypto repeats the verification, its verdict counts. If it differs from the table's, no table is used
    /// again.
    ///
    /// - Parameter repeated: verifies the signature by libcrypto alone.
    func verify(
        signature: Span<UInt8>, digest: Span<UInt8>, repeated: () -> SignatureVerdict
    ) -> SignatureVerdict? {
        guard let (table, isNew) = takeTable() else { return nil }
        guard let isValid = table.verify(signature: signature, digest: digest) else { return nil }
        // Asked afterwards: the verdict of a table that was found to be wrong meanwhile does not count.
        guard !tables.haveFailed else { return nil }
        guard isNew || Int.random(in: 0..<Self.repeatedOneIn) == 0 else {
            tables.noteVerification(isRepeated: false)
            return isValid ? .valid : .invalid
        }
        tables.noteVerification(isRepeated: true)
        let verdict = repeated()
        if verdict != .unavailable, isValid != (verdict == .valid) {
            tables.fail(TableDifference(self, isValid: isValid))
        }
        return verdict
    }

    /// The table, and whether it is so new that libcrypto repeats the verification. Nil if the key has no table.
    private func takeTable() -> (KeyTable, isNew: Bool)? {
        use.withLock { use in
            guard let table = use?.table, let repeated = use?.repeated else { return nil }
            let isNew = repeated < Self.firstRepeated
            if isNew { use?.repeated = repeated &+ 1 }
            return (table, isNew)
        }
    }
}
