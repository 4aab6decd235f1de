import Administration
import JOSE
import NetworkNames
import Testing
import TokenIntrospection
import TokenVerification

@testable import KeySetFetching
@testable import KeySets

@Suite struct ReadinessTests {
    private static func keySet(_ url: String) -> KeySetStatus {
        KeySetStatus(
            issuer: "", source: .jwkSetURL(url), firstFetchHasEnded: true, usableKeyCount: 1, skippedKeys: [],
            lastSuccess: nil, age: nil, staleLimit: .seconds(86400), restoredFromDisk: false, lastFailure: nil,
            nextFetch: nil,
            generation: 1, isTooStale: false, counters: KeySetCounters())
    }

    private static func issuer(_ name: String, hasKeys: Bool) -> Readiness.Issuer {
        var keySet = keySet("https://\(name).example/keys")
        (keySet.usableKeyCount, keySet.isTooStale, keySet.restoredFromDisk) = (hasKeys ? 2 : 0, !hasKeys, hasKeys)
        keySet.lastSuccess = hasKeys ? NumericDate(seconds: 1_790_000_000) : nil
        keySet.age = hasKeys ? .seconds(90) : nil
        keySet.lastFailure = hasKeys ? nil : .unexpectedStatus(url: "it", 503, retryAfter: nil)
        (keySet.counters.keysAdded, keySet.counters.fetches, keySet.counters.fetchFailures) = (2, 3, 1)
        return Readiness.Issuer(name: name, keySets: [keySet])
    }

    @Test(arguments: [
        (Readiness.Phase.starting, [true], 503), (.running, [true], 200), (.running, [false], 503),
        (.running, [false, true], 200),
        (.running, [], 200), (.draining, [true], 503),
    ])
    func `a gateway is ready if it runs and has the keys of at least one issuer`(
        _ phase: Readiness.Phase, _ keys: [Bool], _ expected: Int
    ) {
        let issuers = keys.enumerated().map { Self.issuer("i\($0.offset)", hasKeys: $0.element) }
        #expect(Readiness(phase: phase, issuers: issuers).answer().status == expected)
    }

    @Test(
        arguments: [
            (Readiness.Phase.running, [true], nil, nil),
            (.running, [false], nil, "no issuer has keys yet, so requests with tokens are answered with 503"),
            (.running, [], nil, nil), (.running, [true], true, nil),
            (.running, [true], false, "the shared deny list was not received yet"),
            (.starting, [true], nil, "first key sets are still being fetched"),
            (.draining, [true], nil, "the process is shutting down"),
            (.shortOfMemory, [true], nil, "memory is short"),
            (.wrongClock, [true], nil, "the clock shows an implausible time"),
        ] as [(Readiness.Phase, [Bool], Bool?, String?)])
    func `the obstacle to readiness is reported`(
        _ phase: Readiness.Phase, _ keys: [Bool], _ knowsDenials: Bool?, _ obstacle: String?
    ) {
        let readiness = Readiness(
            phase: phase, issuers: keys.enumerated().map { Self.issuer("i\($0.offset)", hasKeys: $0.element) },
            denials: knowsDenials.map { Readiness.SharedDenials(isKnown: $0, age: nil, lastFailure: nil) })
        #expect(readiness.obstacle == obstacle)
        #expect(readiness.isReady == (obstacle == nil))
    }

    @Test func `a reload to issuers without keys keeps the gateway ready`() {
        let issuers = [Self.issuer("new", hasKeys: false)]
        #expect(Readiness(phase: .running, issuers: issuers, outlivesReload: true).answer().status == 200)
        #expect(Readiness(phase: .running, issuers: issuers, outlivesReload: true).answer(for: "new").status == 503)
        #expect(Readiness(phase: .draining, issuers: issuers, outlivesReload: true).answer().status == 503)
    }

    @Test(arguments: [(true, nil, nil), (true, 7, "refused"), (false, nil, "refused")] as [(Bool, Int?, String?)])
    func `a gateway that never received the shared deny list is not ready`(
        _ isKnown: Bool, _ age: Int?, _ failure: String?
    ) {
        let denials = Readiness.SharedDenials(isKnown: isKnown, age: age.map { .seconds($0) }, lastFailure: failure)
        let readiness = Readiness(phase: .running, issuers: [Self.issuer("a", hasKeys: true)], denials: denials)
        #expect(readiness.answer().status == (isKnown ? 200 : 503))
        #expect(readiness.answer(for: "a").status == (isKnown ? 200 : 503))
        let expected =
            "],\"denials\":{\"ready\":\(isKnown)" + (age.map { ",\"age_seconds\":\($0)" } ?? "")
            + (failure.map { ",\"last_error\":\"\($0)\"" } ?? "") + "}}\n"
        #expect(String(decoding: readiness.answer().body, as: UTF8.self).hasSuffix(expected))
    }

    @Test func `introspection is reported with its issuer, and does not affect readiness`() {
        var counters = IntrospectionCounters()
        (counters.answered, counters.failures, counters.turnedAway) = (4, 5, 6)
        let introspection = IntrospectionStatus(
            issuer: "a", endpoint: HTTPURL("https://a.example/introspect"), counters: counters,
            keptAnswers: 3, cacheHits: 7, cacheMisses: 8, questionsUnderWay: 1, requestsWaiting: 2, isPaused: true,
            nextQuestion: NumericDate(seconds: 1_790_000_005),
            lastFailure: .exchange(.unexpectedStatus(url: "it", 503, retryAfter: nil)),
            lastSuccess: NumericDate(seconds: 1_790_000_000))
        let issuer = Readiness.Issuer(
            name: "a", keySets: Self.issuer("a", hasKeys: true).keySets, introspection: introspection)
        let answer = Readiness(phase: .running, issuers: [issuer]).answer()
        #expect(answer.status == 200)
        let expected =
            #","introspection":{"endpoint":"https://a.example/introspect","breaker":"open","next_request":"2026-09-21T14:13:25Z","#
            + #""answered_at":"2026-09-21T14:13:20Z","last_error":"it answered 503","in_flight":1,"waiting":2,"answered":4,"failed":5,"#
            + #""turned_away":6,"cache_entries":3,"cache_hits":7,"cache_misses":8}}]}"#
        #expect(String(decoding: answer.body, as: UTF8.self).hasSuffix(expected + "\n"))
    }

    @Test func `skipped keys are listed`() {
        var keySet = Self.keySet("https://a.example/keys")
        keySet.skippedKeys = [
            SkippedKey(keyID: "k\"1", index: 0, reason: .materialMissing(.modulus)),
            SkippedKey(keyID: nil, index: 2, reason: .keyTypeUnknown),
        ]
        (keySet.counters.keysAdded, keySet.counters.fetches) = (1, 1)
        let readiness = Readiness(phase: .running, issuers: [Readiness.Issuer(name: "a", keySets: [keySet])])
        let body = String(decoding: readiness.answer().body, as: UTF8.self)
        #expect(
            body.contains(
                #""keys":1,"skipped_keys":["key 0 `k\"1`: `n` is missing","key 2: its `kty` is not a supported type of key for signatures"],"fetches":1"#
            ))
    }

    @Test func `the readiness of a single issuer can be queried`() {
        let readiness = Readiness(
            phase: .running, issuers: [Self.issuer("a", hasKeys: true), Self.issuer("b", hasKeys: false)])
        #expect(readiness.answer(for: "a").status == 200)
        #expect(readiness.answer(for: "b").status == 503)
        #expect(readiness.answer(for: "c").status == 404)
        let body = String(decoding: readiness.answer(for: "b").body, as: UTF8.self)
        let totals = #""fetches":3,"fetch_failures":1,"keys_added":2,"keys_removed":0"#
        let keySet =
            #"{"source":"https://b.example/keys","ready":false,"keys":0,"last_error":"it answered 503",\#(totals)}"#
        let issuer = #"{"name":"b","ready":false,"keys":0,"key_sets":[\#(keySet)]}"#
        let expected = #"{"ready":false,"phase":"running","issuers":[\#(issuer)]}"# + "\n"
        #expect(body == expected)
    }
}
