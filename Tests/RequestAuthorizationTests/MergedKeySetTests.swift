import JOSE
import JOSESigning
import KeySets
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// An issuer with several key sets, of which each may have a token's key.
struct MergedKeySetTests {
    private typealias Fixture = AuthorizerFixture

    private static let otherKey = (try? SigningKey.generate(.es256, keyID: "o1")) ?? TestKeys.ec
    private static let unknownKey = (try? SigningKey.generate(.es256, keyID: "x1")) ?? TestKeys.ec

    /// A key set as requests see it.
    private struct Keys {
        var keys: [SigningKey]?
        var canWait = false
        var lastFetchSucceeded = true
        var refused: [String] = []
        /// Whether its keys have IDs.
        var areNamed = true

        var set: KeySet? {
            guard let keys else { return nil }
            guard !areNamed else { return TestKeys.keySet(keys) }
            let text = SigningKey.jwkSetJSON(keys).replacing(/"kid":"[^"]*",/, with: "")
            return try? KeySet(parsing: Array(text.utf8).span)
        }

        static let absent = Keys(keys: nil, lastFetchSucceeded: false)

        var store: KeySetStore {
            var snapshot = KeySetSnapshot(
                staleLimit: .seconds(3600), canWait: canWait, lastFetchSucceeded: lastFetchSucceeded)
            snapshot.keys = set
            snapshot.fetchedAt = keys.map { _ in NumericDate(seconds: TestToken.now) }
            snapshot.nextAttempt = NumericDate(seconds: TestToken.now + 5)
            for keyID in refused { snapshot.refused.insert(keyID, at: .now) }
            return KeySetStore(snapshot)
        }
    }

    private func outcome(
        _ token: String, first: Keys = Keys(keys: [TestKeys.rsa]), other: Keys = Keys(keys: [Self.otherKey]),
        answer: KeyAnswer? = nil,
        allowsMissingKeyID: Bool = false
    ) throws -> String {
        let fixture = try Fixture(
            keys: first.set, canWait: first.canWait, refusedKeyIDs: first.refused,
            lastFetchSucceeded: first.lastFetchSucceeded, otherStores: [other.store],
            issuer: { ($0.mergesKeySets, $0.allowsMissingKeyID) = (true, allowsMissingKeyID) })
        var request = try Fixture.request("GET /shop/me HTTP/1.1", fields: ["Authorization: Bearer \(token)"])
        if let answer { request.answer = .keys(answer) }
        switch fixture.outcome(request) {
        case .forward: return "forward"
        case .wait(.keys(let wait), _): return "wait for \(wait.keySet)"
        case .reject(let rejection, _):
            return rejection.reason.label + (rejection.retryAfter.map { " \($0.components.seconds)" } ?? "")
        default: return "?"
        }
    }

    private static func token(by key: SigningKey) -> String { TestToken.good.signed(by: key) }

    @Test func `a key of either set opens`() throws {
        #expect(try outcome(Self.token(by: TestKeys.rsa)) == "forward")
        #expect(try outcome(Self.token(by: Self.otherKey)) == "forward")
    }

    @Test func `a set that is not there takes nothing from the other`() throws {
        #expect(try outcome(Self.token(by: Self.otherKey), first: .absent) == "forward")
        #expect(try outcome(Self.token(by: TestKeys.rsa), other: .absent) == "forward")
        #expect(try outcome(Self.token(by: TestKeys.rsa), other: Keys(keys: nil, canWait: true)) == "forward")
    }

    @Test func `a key in none is unknown only when all sets are there and were asked`() throws {
        let unknown = Self.token(by: Self.unknownKey)
        let (first, other) = (Keys(keys: [TestKeys.rsa], refused: ["x1"]), Keys(keys: [Self.otherKey], refused: ["x1"]))
        #expect(try outcome(unknown, first: first, other: other) == "unknown_kid")
        #expect(try outcome(unknown, first: first) == "key_not_asked 5")
        #expect(try outcome(unknown, other: other) == "key_not_asked 7")
        #expect(try outcome(unknown) == "key_not_asked 5")
        #expect(try outcome(unknown, first: first, other: .absent) == "keys_unavailable 5")
        #expect(try outcome(unknown, other: .absent) == "keys_unavailable 5")
        #expect(try outcome(unknown, first: .absent) == "keys_unavailable 7")
        // It was there when it was asked last, and could not be asked again.
        #expect(
            try outcome(unknown, other: Keys(keys: [Self.otherKey], lastFetchSucceeded: false)) == "keys_unavailable 5")
        #expect(try outcome(unknown, first: .absent, other: .absent) == "keys_unavailable 5")
    }

    @Test func `a request waits if any set can still be asked, and no second time`() throws {
        let unknown = Self.token(by: Self.unknownKey)
        let other = Keys(keys: [Self.otherKey], canWait: true)
        #expect(try outcome(unknown, other: other) == "wait for 1")
        #expect(try outcome(unknown, first: Keys(keys: [TestKeys.rsa], canWait: true)) == "wait for 0")
        #expect(try outcome(unknown, other: other, answer: .confirmedUnknown) == "unknown_kid")
        #expect(try outcome(unknown, other: other, answer: .keysChanged) == "unknown_kid")
        #expect(
            try outcome(unknown, other: other, answer: .unavailable(retryAfter: .seconds(3))) == "keys_unavailable 3")
        #expect(try outcome(unknown, other: other, answer: .notAsked(retryAfter: .seconds(3))) == "key_not_asked 3")
        #expect(
            try outcome(unknown, other: .absent, answer: .notAsked(retryAfter: .seconds(3))) == "keys_unavailable 3")
        // One that was asked is not waited for.
        #expect(
            try outcome(unknown, other: Keys(keys: [Self.otherKey], canWait: true, refused: ["x1"]))
                == "key_not_asked 7")
        #expect(
            try outcome(unknown, other: Keys(keys: nil, canWait: true), answer: .keysChanged) == "keys_unavailable 5")
        #expect(try outcome(Self.token(by: Self.otherKey), other: other) == "forward")
    }

    @Test func `of two keys with one ID the first set's is used`() throws {
        let twins = (first: Keys(keys: [TestKeys.rsa]), other: Keys(keys: [TestKeys.impostor]))
        #expect(try outcome(Self.token(by: TestKeys.rsa), first: twins.first, other: twins.other) == "forward")
        #expect(
            try outcome(Self.token(by: TestKeys.impostor), first: twins.first, other: twins.other) == "bad_signature")
        #expect(try outcome(Self.token(by: TestKeys.impostor), first: twins.other, other: twins.first) == "forward")
    }

    @Test func `a key of the same ID for another algorithm hides none`() throws {
        let elliptic = try SigningKey.generate(.es256, keyID: "k1")
        #expect(try outcome(Self.token(by: elliptic), other: Keys(keys: [elliptic])) == "forward")
        #expect(
            try outcome(Self.token(by: TestKeys.rsa), first: Keys(keys: [elliptic]), other: Keys(keys: [TestKeys.rsa]))
                == "forward")
        #expect(try outcome(Self.token(by: elliptic)) == "alg_not_allowed")
    }

    @Test func `a key of the same ID for another algorithm does not answer for a set that is not there`() throws {
        let token = Self.token(by: try SigningKey.generate(.es256, keyID: "k1"))
        #expect(try outcome(token, other: .absent) == "keys_unavailable 5")
        #expect(try outcome(token, other: Keys(keys: nil, canWait: true)) == "wait for 1")
        #expect(try outcome(token, other: Keys(keys: nil, canWait: true), answer: .keysChanged) == "keys_unavailable 5")
        // With all there, nothing is asked for: who forges such tokens must not have keys fetched.
        #expect(try outcome(token, other: Keys(keys: [Self.otherKey], canWait: true)) == "alg_not_allowed")
    }

    @Test func `without a key ID the keys are tried that fit, at most four in all sets together`() throws {
        let token = TestToken.good.withHeader("kid", TestToken.absent).signed(by: TestKeys.rsa)
        #expect(try outcome(token, allowsMissingKeyID: true) == "forward")
        #expect(
            try outcome(
                token, first: Keys(keys: [Self.otherKey]), other: Keys(keys: [TestKeys.rsa]), allowsMissingKeyID: true)
                == "forward"
        )
        // The same key in both is one.
        #expect(try outcome(token, other: Keys(keys: [TestKeys.rsa]), allowsMissingKeyID: true) == "forward")
        #expect(try outcome(token, other: Keys(keys: [TestKeys.impostor]), allowsMissingKeyID: true) == "forward")
        #expect(
            try outcome(
                token, first: Keys(keys: [TestKeys.impostor]), other: Keys(keys: [TestKeys.rsa]),
                allowsMissingKeyID: true)
                == "forward")
        let others = try (0..<4).map { try SigningKey.generate(.rs256, keyID: "m\($0)") }
        let four = (Keys(keys: Array(others.prefix(2))), Keys(keys: [others[2], TestKeys.rsa]))
        #expect(try outcome(token, first: four.0, other: four.1, allowsMissingKeyID: true) == "forward")
        let five = (Keys(keys: Array(others.prefix(2))), Keys(keys: Array(others.dropFirst(2)) + [TestKeys.rsa]))
        #expect(try outcome(token, first: five.0, other: five.1, allowsMissingKeyID: true) == "unknown_kid")
        // The other set may have more that fit.
        #expect(try outcome(token, other: .absent, allowsMissingKeyID: true) == "keys_unavailable 5")
    }

    @Test func `a key ID does not matter where no key of any set has one`() throws {
        let (first, other) = (
            Keys(keys: [TestKeys.impostor], areNamed: false), Keys(keys: [TestKeys.rsa], areNamed: false)
        )
        let token = Self.token(by: TestKeys.rsa)
        #expect(try outcome(token, first: first, other: other, allowsMissingKeyID: true) == "forward")
        #expect(try outcome(token, first: first, other: other) == "key_not_asked 5")
        // Where some key has one, names count, and one that nobody has is looked for.
        let named = Keys(keys: [Self.otherKey], canWait: true)
        #expect(try outcome(token, first: first, other: named, allowsMissingKeyID: true) == "wait for 1")
        #expect(try outcome(token, first: other, other: .absent, allowsMissingKeyID: true) == "keys_unavailable 5")
        #expect(
            try outcome(Self.token(by: Self.unknownKey), first: first, other: other, allowsMissingKeyID: true)
                == "key_not_asked 5")
    }
}
