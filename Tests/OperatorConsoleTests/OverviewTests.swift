import StrictJSON
import Testing
import TokenVerification

@testable import OperatorConsole

struct OverviewTests {
    @Test func `the answer is one JSON object with documented members`() throws {
        let text = String(decoding: OverviewSample.overview().json, as: UTF8.self)
        let expected = [
            #"{"time":"2026-11-01T02:26:40Z","version":"0.9.0 (abc)","node":"a7","uptime_seconds":273600,"#,
            #""ready":true,"phase":"running","obstacle":null,"requests_in_flight":3,"connections":12,"#,
            #""token_cache_hits":969,"token_cache_misses":31,"#,
            #""configuration":{"generation":12,"loaded_at":"2026-11-01T02:26:40Z","sha256":"9f3a","last_error":null},"#,
            #""shadow":{"generation":4,"last_error":null,"same":90,"different":3,"unknown":0},"#,
            #""traffic":{"interval_seconds":5,"requests_per_second":[10.0,10.0],"client_errors_per_second":[0.0,0.0],"#,
            #""server_errors_per_second":[0.0,0.0],"p50_ms":[0.5,0.5],"p99_ms":[0.99,0.99]},"#,
            #""issuers":[{"name":"main","ready":true,"key_sets":[{"source":"https://id.example/keys","usable":true,"#,
            #""keys":2,"kids":["k1","main"],"age_seconds":119,"next_fetch":"2026-11-01T02:28:18Z","#,
            #""last_error":null}],"signers":[{"kid":"main","count":7}]},{"name":"partner","ready":false,"#,
            #""key_sets":[{"source":"https://partner.example/keys","usable":false,"keys":0,"kids":[],"#,
            #""age_seconds":null,"next_fetch":null,"last_error":"connection refused"}],"signers":[]}],"#,
            #""upstreams":[{"resource":"shop","path":"/","waiting":0,"#,
            #""targets":[{"target":"10.0.0.1:9000","state":"in","since_seconds":null,"cause":null,"in_flight":1,"#,
            #""latency_us":2100},{"target":"10.0.0.2:9000","state":"out","since_seconds":40,"cause":"refused","#,
            #""in_flight":0,"latency_us":null}]}],"#,
            #""rules":[{"resource":"shop","rule":"GET /items/**","requests":9,"401":0,"403":0,"429":0,"5xx":0,"#,
            #""would_refuse":0,"shadow_differs":0,"p95_ms":11.0}],"rules_never_hit":0,"rules_left_out":0,"#,
            #""refusals":[{"reason":"expired","status":401,"count":4}],"#,
            #""soon":[{"event":"rule_enforces","name":"main","at":"2026-11-06T02:26:40Z"}],"soon_left_out":0}"#,
        ]
        for part in expected { #expect(text.contains(part), "\(part)") }
        #expect(text.utf8.count == expected.reduce(0) { $0 + $1.utf8.count })
    }

    @Test func `hostile names stay texts of the JSON`() throws {
        let overview = OverviewSample.overview(
            name: OverviewSample.hostile, rules: [OverviewSample.rule("shop", OverviewSample.hostile, 1)])
        let document = try JSONDocument(
            parsing: overview.json, limits: JSONLimits(depth: 8, members: 10_000, bytes: 100_000))
        #expect(document.root["version"]?.isString(equalTo: "0.9.0 (abc)") == true)
        #expect(!overview.json.contains(0x1B))
    }

    @Test func `rules with most refusals come first, then those with most requests, and the rest is counted`() {
        let quiet = (0..<500).map { OverviewSample.rule("shop", "GET /\($0)", 0) }
        let table = RuleTable(
            [OverviewSample.rule("shop", "GET /busy", 900)] + quiet
                + [OverviewSample.rule("shop", "GET /refused", 10, refused: 8), OverviewSample.rule("", "", 5)])
        #expect(table.rows.prefix(4).map(\.rule) == ["GET /refused", "GET /busy", "", "GET /0"])
        #expect(table.rows.count == RuleTable.mostRules)
        #expect(table.neverHit == 500 && table.leftOut == 503 - RuleTable.mostRules)
    }

    @Test func `events of the next 30 days are listed, the soonest first`() {
        let now = OverviewSample.now
        let times: [Duration] = [.seconds(86_400), .seconds(31 * 86_400), .seconds(-60), .seconds(3_600)]
        let events = ComingEvents(
            times.map { ComingEvents.Event(.certificateExpires, name: "a", at: now + $0) }, at: now)
        #expect(events.events.map { $0.time.seconds - now.seconds } == [-60, 3_600, 86_400])
        #expect(events.leftOut == 0)
        let many = (0..<60).map { ComingEvents.Event(.ruleEnforces, name: "\($0)", at: now + .seconds($0)) }
        #expect(ComingEvents(many, at: now).events.count == ComingEvents.mostEvents)
        #expect(ComingEvents(many, at: now).leftOut == 10)
    }

    @Test func `an issuer with many keys lists the first ones`() {
        let state = KeySetState(
            source: "it", isUsable: true, keyCount: 100, keyIDs: (0..<100).map { "k\($0)" }, age: nil, nextFetch: nil,
            lastFailure: nil)
        #expect(state.keyIDs.count == KeySetState.mostKeyIDs && state.keyCount == 100)
    }
}
