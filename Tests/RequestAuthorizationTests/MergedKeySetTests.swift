import JOSE
import JOSESigning
import KeySets
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// An issuer with several key sets; a token's key may be in any of them.
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
        /// The only key ID that its source can have. Nil if it can have any.
        var soleKeyID: String?
        /// True if its keys have IDs.
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
            snapshot.soleKeyID = soleKeyID
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
        var snapshot = fixture.store.snapshot()
        snapshot.soleKeyID = first.soleKeyID
        fixture.store.publish(snapshot)
        var request = try Fixture.request("GET /shop/me HTTP/1.1", fields: ["Authorization: Bearer \(token)"])
        if let answer { request.answer = .keys(answer) }
        switch fixture.outcome(request) {
        case .forward: return "forward"
        case .wait(.token(.keys(let wait)), _):
            guard case .keySet(let keySet) = wait.place else { return "wait for a realm" }
            return "wait for \(keySet)"
        case .reject(let rejection, _):
            return rejection.reason.label + (rejection.retryAfter.map { " \($0.components.seconds)" } ?? "")
        default: return "?"
        }
    }

    private static func token(by key: SigningKey) -> String { TestToken.good.signed(by: key) }

    @Test func `a key of either key set verifies`() throws {
        #expect(try outcome(Self.token(by: TestKeys.rsa)) == "forward")
        #expect(try outcome(Self.token(by: Self.otherKey)) == "forward")
    }

    @Test func `a missing key set does not affect the other`() throws {
        #expect(try outcome(Self.token(by: Self.otherKey), first: .absent) == "forward")
        #expect(try outcome(Self.token(by: TestKeys.rsa), other: .absent) == "forward")
        #expect(try outcome(Self.token(by: TestKeys.rsa), other: Keys(keys: nil, canWait: true)) == "forward")
    }

    @Test func `a kid that no file with a configured key ID has is unknown, even if the file is missing`() throws {
        let missing = Keys(keys: nil, canWait: true, lastFetchSucceeded: false, soleKeyID: TestKeys.rsa.keyID)
        let other = Keys(keys: [Self.otherKey], canWait: true, soleKeyID: "o1")
        #expect(try outcome(Self.token(by: Self.unknownKey), first: missing, other: other) == "unknown_kid")
        #expect(try outcome(Self.token(by: Self.otherKey), first: missing, other: other) == "forward")
        #expect(try outcome(Self.token(by: TestKeys.rsa), first: missing, other: other) == "wait for 0")
    }

    @Test func `a key in no set is unknown only if all sets are present and were fetched for it`() throws {
        let unknown = Self.token(by: Self.unknownKey)
        let (first, other) = (Keys(keys: [TestKeys.rsa], refused: ["x1"]), Keys(keys: [Self.otherKey], refused: ["x1"]))
        #expect(try outcome(unknown, first: first, other: other) == "unknown_kid")
        #expect(try outcome(unknown, first: first) == "key_not_asked 5")
        #expect(try outcome(unknown, other: other) == "key_not_asked 7")
        #expect(try outcome(unknown) == "key_not_asked 5")
        #expect(try outcome(unknown, first: first, other: .absent) == "keys_unavailable 5")
        #expect(try outcome(unknown, other: .absent) == "keys_unavailable 5")
        #expect(try outcome(unknown, first: .absent) == "keys_unavailable 7")
        // The issuer was reachable at the last fetch, and no further fetch is allowed.
        #expect(
            try outcome(unknown, other: Keys(keys: [Self.otherKey], lastFetchSucceeded: false)) == "keys_unavailable 5")
        #expect(try outcome(unknown, first: .absent, other: .absent) == "keys_unavailable 5")
    }

    @Test func `a request waits once if any key set can still be fetched`() throws {
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
        // A set that was just fetched is not waited for.
        #expect(
            try outcome(unknown, other: Keys(keys: [Self.otherKey], canWait: true, refused: ["x1"]))
                == "key_not_asked 7")
        #expect(
            try outcome(unknown, other: Keys(keys: nil, canWait: true), answer: .keysChanged) == "keys_unavailable 5")
        #expect(try outcome(Self.token(by: Self.otherKey), other: other) == "forward")
    }

    @Test func `of two keys with the same ID the key of the first set is used`() throws {
        let twins = (first: Keys(keys: [TestKeys.rsa]), other: Keys(keys: [TestKeys.impostor]))
        #expect(try outcome(Self.token(by: TestKeys.rsa), first: twins.first, other: twins.other) == "forward")
        #expect(
            try outcome(Self.token(by: TestKeys.impostor), first: twins.first, other: twins.other) == "bad_signature")
        #expect(try outcome(Self.token(by: TestKeys.impostor), first: twins.other, other: twins.first) == "forward")
    }

    @Test func `a key of the same ID for another algorithm does not hide the suitable one`() throws {
        let elliptic = try SigningKey.generate(.es256, keyID: "k1")
        #expect(try outcome(Self.token(by: elliptic), other: Keys(keys: [elliptic])) == "forward")
        #expect(
            try outcome(Self.token(by: TestKeys.rsa), first: Keys(keys: [elliptic]), other: Keys(keys: [TestKeys.rsa]))
                == "forward")
        #expect(try outcome(Self.token(by: elliptic)) == "alg_not_allowed")
    }

    @Test func `a key of the same ID for another algorithm does not decide for a missing set`() throws {
        let token = Self.token(by: try SigningKey.generate(.es256, keyID: "k1"))
        #expect(try outcome(token, other: .absent) == "keys_unavailable 5")
        #expect(try outcome(token, other: Keys(keys: nil, canWait: true)) == "wait for 1")
        #expect(try outcome(token, other: Keys(keys: nil, canWait: true), answer: .keysChanged) == "keys_unavailable 5")
        // If all sets are present, nothing is fetched: forged tokens must not cause fetches.
        #expect(try outcome(token, other: Keys(keys: [Self.otherKey], canWait: true)) == "alg_not_allowed")
    }

    @Test func `without a key ID the suitable keys are tried, at most four in all sets together`() throws {
        let token = TestToken.good.withHeader("kid", TestToken.absent).signed(by: TestKeys.rsa)
        #expect(try outcome(token, allowsMissingKeyID: true) == "forward")
        #expect(
            try outcome(
                token, first: Keys(keys: [Self.otherKey]), other: Keys(keys: [TestKeys.rsa]), allowsMissingKeyID: true)
                == "forward"
        )
        // The same key in both sets counts once.
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
        // The other set may have more suitable keys.
        #expect(try outcome(token, other: .absent, allowsMissingKeyID: true) == "keys_unavailable 5")
    }

    @Test func `a key ID does not matter if no key of any set has one`() throws {
        let (first, other) = (
            Keys(keys: [TestKeys.impostor], areNamed: false), Keys(keys: [TestKeys.rsa], areNamed: false)
        )
        let token = Self.token(by: TestKeys.rsa)
        #expect(try outcome(token, first: first, other: other, allowsMissingKeyID: true) == "forward")
        #expect(try outcome(token, first: first, other: other) == "key_not_asked 5")
        // If any key has an ID, key IDs count, and an unknown one causes a fetch.
        let named = Keys(keys: [Self.otherKey], canWait: true)
        #expect(try outcome(token, first: first, other: named, allowsMissingKeyID: true) == "wait for 1")
        #expect(try outcome(token, first: other, other: .absent, allowsMissingKeyID: true) == "keys_unavailable 5")
        #expect(
            try outcome(Self.token(by: Self.unknownKey), first: first, other: other, allowsMissingKeyID: true)
                == "key_not_asked 5")
    }
}
