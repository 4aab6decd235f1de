import Synchronization
import Testing

@testable import JOSE
@testable import JOSESigning
@testable import PrecomputedECDSA

struct KeyTablesTests {
    /// Tables whose events are kept. They are built when the test says so.
    private final class Recorded: Sendable {
        private let events = Mutex<[TableEvent]>([])
        private let wakes = Mutex(0)

        func tables(limit: Int) -> KeyTables {
            KeyTables(
                limit: limit, wake: { _ in self.wakes.withLock { $0 += 1 } },
                report: { event in self.events.withLock { $0.append(event) } })
        }

        var all: [TableEvent] { events.withLock { $0 } }
        var wakeCount: Int { wakes.withLock { $0 } }
    }

    private static let input = Array("input".utf8)

    private static func verdict(
        _ key: VerificationKey, _ signing: SigningKey, input: [UInt8] = Self.input, signature: [UInt8]? = nil
    ) -> SignatureVerdict {
        let signature = signature ?? signing.sign(Self.input)
        return key.verify(signature: signature.span, signingInput: input.span, algorithm: signing.algorithm)
    }

    private static func key(_ algorithm: SignatureAlgorithm = .es384, _ keyID: String = "k") throws -> (
        signing: SigningKey, key: VerificationKey
    ) {
        let signing = try SigningKey.generate(algorithm, keyID: keyID)
        return (signing, try verificationKey(signing.publicJWK))
    }

    /// A table of another point: the generator.
    private static func wrong(_ key: TabledKey) throws -> KeyTable {
        let constants = try #require(CurveConstants.of(key.curve))
        let generator = try #require(PointMultiples.ofGenerator(key.curve))
        return KeyTable(unchecked: .tables(generator: generator, key: generator), constants)
    }

    // MARK: Use

    @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512])
    func `a published key verifies by its table, and libcrypto repeats the first hundred`(
        _ algorithm: SignatureAlgorithm
    ) throws {
        let recorded = Recorded()
        let tables = recorded.tables(limit: 16)
        let (signing, key) = try Self.key(algorithm)
        tables.publish([key])
        #expect(recorded.wakeCount == 1)
        #expect(Self.verdict(key, signing) == .valid)
        #expect(tables.status.verifications == 0)
        tables.build()
        #expect(tables.status.tables == 1 && tables.status.bytes > 100_000)
        for _ in 0..<60 {
            #expect(Self.verdict(key, signing) == .valid)
            #expect(Self.verdict(key, signing, input: Array("other".utf8)) == .invalid)
        }
        #expect(tables.status.verifications == 120)
        #expect((100...110).contains(tables.status.repetitions))
        #expect(recorded.all.isEmpty)
    }

    @Test func `later verifications are repeated by chance`() throws {
        let tables = Recorded().tables(limit: 1)
        let (signing, key) = try Self.key(.es256)
        tables.publish([key])
        tables.build()
        let signature = signing.sign(Self.input)
        // That none of 20,000 is drawn has a probability of 2·10^-9, and that more than 100 are one of 10^-37.
        for _ in 0..<20_100 { #expect(Self.verdict(key, signing, signature: signature) == .valid) }
        #expect((101...200).contains(tables.status.repetitions))
    }

    @Test func `a key that was not published never gets a table`() throws {
        let tables = Recorded().tables(limit: 16)
        let (signing, key) = try Self.key()
        tables.publish([key])
        tables.build()
        // The same key, as a request could bring it.
        let brought = try verificationKey(signing.publicJWK)
        #expect(Self.verdict(brought, signing) == .valid)
        #expect(tables.status.verifications == 0)
    }

    @Test func `a key that is published again keeps its table, and frees it with the last of its sets`() throws {
        let recorded = Recorded()
        let tables = recorded.tables(limit: 16)
        let signing = try SigningKey.generate(.es384, keyID: "k")
        var key: VerificationKey? = try verificationKey(signing.publicJWK)
        tables.publish([try #require(key)])
        tables.build()
        #expect(tables.status.tables == 1)
        let again = try verificationKey(signing.publicJWK)
        tables.publish([again])
        #expect(recorded.wakeCount == 1)
        key = nil
        #expect(Self.verdict(again, signing) == .valid)
        #expect(tables.status.verifications == 1)
    }

    @Test func `a key that is in no set any more has no table`() throws {
        let tables = Recorded().tables(limit: 16)
        var key: VerificationKey? = try Self.key().key
        tables.publish([try #require(key)])
        tables.build()
        #expect(tables.status.tables == 1)
        key = nil
        #expect(tables.status.tables == 0)
        #expect(tables.published.isEmpty)
    }

    // MARK: Limits

    @Test func `keys that are used most have the tables`() throws {
        let tables = Recorded().tables(limit: 1)
        let keys = try ["a", "b"].map { try Self.key(.es256, $0) }
        tables.publish(keys.map(\.key))
        tables.build()
        func hasTable() -> [Bool] { tables.published.map { $0.table != nil } }
        #expect(hasTable() == [true, false])
        let signature = keys[1].signing.sign(Self.input)
        // Invalid signatures do not count, so a stranger moves no table.
        for _ in 0..<10 {
            #expect(Self.verdict(keys[1].key, keys[1].signing, input: [], signature: signature) == .invalid)
        }
        tables.build()
        #expect(hasTable() == [true, false])
        for _ in 0..<10 { #expect(Self.verdict(keys[1].key, keys[1].signing, signature: signature) == .valid) }
        tables.build()
        #expect(hasTable() == [false, true])
        // Earlier uses count less every minute, so a few recent ones are enough.
        for _ in 0..<10 { tables.reconsider() }
        let other = keys[0].signing.sign(Self.input)
        for _ in 0..<3 { #expect(Self.verdict(keys[0].key, keys[0].signing, signature: other) == .valid) }
        tables.build()
        #expect(hasTable() == [true, false])
    }

    @Test func `the number of tables changes with the file`() throws {
        let recorded = Recorded()
        let tables = recorded.tables(limit: 0)
        let keys = try (0..<3).map { try Self.key(.es256, "k\($0)") }
        tables.publish(keys.map(\.key))
        for (limit, count) in [(0, 0), (2, 2), (16, 3), (1, 1), (0, 0)] {
            let wakes = recorded.wakeCount
            tables.setLimit(limit)
            #expect(limit == 0 && wakes == 1 || recorded.wakeCount == wakes + 1)
            tables.build()
            #expect(tables.status.tables == count)
        }
    }

    @Test func `keys of other types have no table`() throws {
        let recorded = Recorded()
        let tables = recorded.tables(limit: 16)
        let keys = try [SignatureAlgorithm.ed25519, .rs256].map { try Self.key($0) }
        tables.publish(keys.map(\.key))
        #expect(recorded.wakeCount == 0)
        #expect(tables.published.isEmpty)
        for (signing, key) in keys { #expect(Self.verdict(key, signing) == .valid) }
    }

    private final class End: Sendable {
        let isReached = Atomic<Bool>(false)
    }

    @Test(.timeLimit(.minutes(1)))
    func `tables come and go while threads verify`() async throws {
        let tables = Recorded().tables(limit: 1)
        let keys = try [SignatureAlgorithm.es256, .es384].map { try Self.key($0) }
        tables.publish(keys.map(\.key))
        let signatures = keys.map { $0.signing.sign(Self.input) }
        let end = End()
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    var number = 0
                    while !end.isReached.load(ordering: .relaxed) {
                        number += 1
                        let (key, signature) = (keys[number % 2], signatures[number % 2])
                        #expect(Self.verdict(key.key, key.signing, signature: signature) == .valid)
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                defer { end.isReached.store(true, ordering: .relaxed) }
                for number in 0..<20 {
                    let limit = number % 3
                    tables.setLimit(limit)
                    tables.reconsider()
                    // As after a fetch: the same material in new keys.
                    tables.publish([try verificationKey(keys[0].signing.publicJWK)])
                    let before = tables.status.verifications
                    while limit > 0, tables.status.verifications == before { await Task.yield() }
                }
            }
            try await group.waitForAll()
        }
        #expect(!tables.haveFailed)
    }

    @Test func `keys that are published again without a change wake nobody`() throws {
        let recorded = Recorded()
        let tables = recorded.tables(limit: 16)
        let keys = try [SignatureAlgorithm.es256, .rs256].map { try Self.key($0).key }
        for _ in 0..<3 { tables.publish(keys) }
        #expect(recorded.wakeCount == 1)
        #expect(tables.published.count == 1)
    }

    // MARK: A wrong table

    @Test func `only what was computed wrongly is told as a fault`() {
        let failures: [KeyTableFailure] = [.notOnCurve, .unsupported, .wrong]
        for failure in failures {
            let events = [TableEvent.noTables(of: .p256, failure), .notBuilt(keyID: "k", curve: .p256, failure)]
            #expect(events.map(\.meansFault) == [failure == .wrong, failure == .wrong])
            #expect(events.map(\.keyID) == [nil, "k"])
        }
        #expect(
            TableEvent.noTables(of: .p256, .unsupported).cause
                == "libcrypto makes no tables of P-256, or there is no memory")
    }

    @Test func `a wrong table is found, libcrypto decides, and no table is used again`() throws {
        let recorded = Recorded()
        let tables = recorded.tables(limit: 16)
        let (signing, key) = try Self.key()
        let other = try Self.key(.es256, "other")
        tables.publish([key, other.key])
        tables.build()
        let tabled = try #require(tables.published.first)
        tabled.table = try Self.wrong(tabled)
        #expect(tables.epoch == 0)
        #expect(Self.verdict(key, signing) == .valid)
        #expect(tables.haveFailed && tables.epoch == 1)
        #expect(tables.status.tables == 0)
        let difference = try #require(tables.status.difference)
        #expect(!difference.wasAccepted && difference.keyID == "k" && difference.thumbprint == key.thumbprint)
        #expect(recorded.all == [.differs(difference)])
        // Nothing brings the tables back: no key, no limit.
        tables.publish([try Self.key(.es384, "new").key])
        tables.setLimit(8)
        tables.build()
        #expect(tables.status.tables == 0)
        let before = tables.status.verifications
        #expect(Self.verdict(other.key, other.signing) == .valid)
        #expect(tables.status.verifications == before)
        #expect(recorded.all.count == 1)
    }

    @Test func `a table that failed while it was in use decides nothing`() throws {
        let tables = Recorded().tables(limit: 16)
        let (signing, key) = try Self.key()
        tables.publish([key])
        let tabled = try #require(tables.published.first)
        tables.fail(TableDifference(tabled, isValid: true))
        tabled.replaceTable(try Self.wrong(tabled))
        #expect(Self.verdict(key, signing) == .valid)
        #expect(tables.status.verifications == 0)
    }

    @Test func `a table that is wrong later is found within ten thousand verifications`() throws {
        let recorded = Recorded()
        let tables = recorded.tables(limit: 16)
        let (signing, key) = try Self.key()
        tables.publish([key])
        tables.build()
        let signature = signing.sign(Self.input)
        for _ in 0..<TabledKey.firstRepeated { #expect(Self.verdict(key, signing, signature: signature) == .valid) }
        let tabled = try #require(tables.published.first)
        tabled.replaceTable(try Self.wrong(tabled))
        var wrong = 0
        // That none of 10,000 is drawn has a probability of 5·10^-5; of 30,000, one of 10^-13.
        for _ in 0..<30_000 where !tables.haveFailed {
            if Self.verdict(key, signing, signature: signature) != .valid { wrong += 1 }
        }
        #expect(tables.haveFailed)
        #expect(Self.verdict(key, signing, signature: signature) == .valid)
        #expect(wrong == Int(tables.status.verifications - tables.status.repetitions))
    }
}
