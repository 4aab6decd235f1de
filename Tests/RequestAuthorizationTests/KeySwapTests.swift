import HTTPMessages
import JOSE
import JOSESigning
import KeySets
import KnownTokens
import Synchronization
import TestSupport
import Testing
import TokenVerification

@testable import RequestAuthorization

/// Keys that are replaced during verifications, and the cache's record of a token.
@Suite struct KeySwapTests {
    private static func snapshot(_ keys: [SigningKey], generation: UInt64) -> KeySetSnapshot {
        KeySetSnapshot(
            keys: TestKeys.keySet(keys), fetchedAt: NumericDate(seconds: TestToken.now), staleLimit: .seconds(86_400),
            lastFetchSucceeded: true, generation: generation)
    }

    private static func authorizer(_ store: KeySetStore, _ cache: VerifiedTokenCache?) throws -> RequestAuthorizer {
        let fixture = try AuthorizerFixture()
        return try RequestAuthorizer(
            resources: fixture.authorizer.resources,
            issuers: [
                IssuerKeyStores(issuer: try #require(fixture.authorizer.issuers[0]).verifier.issuer, stores: [store])
            ],
            digestKey: TokenDigestKey(), cache: cache)
    }

    private static func request(_ token: String) throws -> AuthorizationRequest {
        try AuthorizerFixture.request(
            "GET /shop/me HTTP/1.1", host: "api.example", fields: ["Authorization: Bearer \(token)"])
    }

    private final class End: Sendable {
        let hasCome = Atomic<Bool>(false)
    }

    private static func isForwarded(_ outcome: AuthorizationOutcome) -> Bool {
        if case .forward = outcome { true } else { false }
    }

    @Test(arguments: Effort.some([true, false], quick: 1))
    func `T376 while keys are replaced every verdict comes from one complete set, and afterwards from the new one`(
        _ isCached: Bool
    )
        async throws
    {
        // Two keys with one ID: with each set exactly one of the two tokens is valid.
        let store = KeySetStore(Self.snapshot([TestKeys.rsa], generation: 1))
        let authorizer = try Self.authorizer(store, isCached ? VerifiedTokenCache(byteLimit: 1 << 20) : nil)
        let requests = try [TestKeys.rsa, TestKeys.impostor].map { try Self.request(TestToken.good.signed(by: $0)) }
        let forged = try Self.request(TestToken.good.signed(by: try SigningKey.generate(.rs256, keyID: "k1")))
        let end = End()
        let counts = await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var counts = [0, 0, 0]
                    var all = requests + [forged]
                    for _ in 0..<2_000 {
                        await Task.yield()
                        for index in all.indices {
                            if Self.isForwarded(
                                authorizer.authorize(&all[index], at: NumericDate(seconds: TestToken.now)))
                            {
                                counts[index] += 1
                            }
                        }
                    }
                    return counts
                }
            }
            group.addTask {
                var generation: UInt64 = 2
                while !end.hasCome.load(ordering: .relaxed) {
                    generation += 1
                    store.publish(
                        Self.snapshot([generation % 2 == 0 ? TestKeys.rsa : TestKeys.impostor], generation: generation))
                    await Task.yield()
                }
                return [0, 0, 0]
            }
            var sum = [0, 0, 0]
            var left = 4
            while left > 0, let some = await group.next() {
                sum = zip(sum, some).map(+)
                left -= 1
            }
            end.hasCome.store(true, ordering: .relaxed)
            await group.waitForAll()
            return sum
        }
        #expect(counts[0] > 0 && counts[1] > 0, "each set was in force: \(counts)")
        #expect(counts[2] == 0, "nobody has that key")
        // The last published keys count for every later verdict.
        for (index, key) in [TestKeys.rsa, TestKeys.impostor].enumerated() {
            store.publish(Self.snapshot([key], generation: 1_000_000 + UInt64(index)))
            for (other, request) in requests.enumerated() {
                var request = request
                #expect(
                    Self.isForwarded(authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now)))
                        == (other == index))
            }
        }
    }

    @Test func `T390 the record of a token contains no part of its text`() throws {
        let store = KeySetStore(Self.snapshot([TestKeys.rsa], generation: 1))
        let authorizer = try Self.authorizer(store, VerifiedTokenCache(byteLimit: 1 << 20))
        let token = TestToken.good.signed(by: TestKeys.rsa)
        var request = try Self.request(token)
        for _ in 0..<2 {
            #expect(Self.isForwarded(authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))))
        }
        let record = Array(request.record.bytes)
        #expect(record.count > 16, "the second was known")
        let text = Array(token.utf8)
        for start in 0...record.count - 8 {
            #expect(text.firstRange(of: record[start..<start + 8]) == nil)
        }
    }
}
