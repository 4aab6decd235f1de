import TokenVerification

@testable import OperatorConsole

/// An overview for tests, in which all that comes from the file or from issuers can be replaced.
enum OverviewSample {
    static let now = NumericDate(seconds: 1_793_500_000)
    static let hostile = "<script>alert(1)</script>\u{202E}\u{1B}[2J\"'&"

    static func overview(
        name: String = "main", obstacle: String? = nil, rules: [RuleTable.Row] = [rule("shop", "GET /items/**", 9)],
        refusals: [ReasonCount] = [ReasonCount(reason: "expired", status: 401, count: 4)]
    ) -> Overview {
        Overview(
            time: now,
            process: ProcessState(
                version: "0.9.0 (abc)", node: "a7", uptime: .seconds(273_600), phase: "running", obstacle: obstacle,
                requestsInFlight: 3, connections: 12, cacheHits: 969, cacheMisses: 31),
            file: FileState(generation: 12, loadedAt: now, digest: "9f3a", lastError: nil),
            shadow: ShadowState(generation: 4, lastError: nil, same: 90, different: 3, unknown: 0),
            traffic: traffic,
            issuers: [
                IssuerState(
                    name: name, isReady: true,
                    keySets: [
                        KeySetState(
                            source: "https://id.example/keys", isUsable: true, keyCount: 2, keyIDs: ["k1", name],
                            age: .seconds(119), nextFetch: now + .seconds(98), lastFailure: nil)
                    ], realms: nil, signers: [IssuerState.Signer(keyID: name, count: 7)]),
                IssuerState(
                    name: "partner", isReady: false,
                    keySets: [
                        KeySetState(
                            source: "https://partner.example/keys", isUsable: false, keyCount: 0, keyIDs: [],
                            age: nil, nextFetch: nil, lastFailure: "connection refused")
                    ], realms: nil),
            ],
            upstreams: [
                UpstreamStatus(
                    resource: "shop", path: "/",
                    targets: [
                        UpstreamStatus.Target(
                            name: "10.0.0.1:9000", isIn: true, since: nil, cause: nil, inFlight: 1,
                            latency: .microseconds(2_100)),
                        UpstreamStatus.Target(
                            name: "10.0.0.2:9000", isIn: false, since: .seconds(40), cause: "refused", inFlight: 0,
                            latency: nil),
                    ])
            ],
            rules: RuleTable(rules), refusals: refusals,
            soon: ComingEvents(
                [ComingEvents.Event(.ruleEnforces, name: name, at: now + .seconds(432_000))], at: now))
    }

    static func rule(_ resource: String, _ rule: String, _ requests: UInt64, refused: UInt64 = 0) -> RuleTable.Row {
        RuleTable.Row(
            resource: resource, rule: rule, requests: requests, unauthorized: refused, percentile95: 0.011)
    }

    private static var traffic: TrafficHistory {
        let start = ContinuousClock.now
        return (0..<3).reduce(into: TrafficHistory(bounds: [0.001, 0.01])) { history, index in
            let count = UInt64(index * 50)
            history.add(
                TrafficTotals(requests: count, clientErrors: 0, serverErrors: 0, buckets: [count, 0, 0]),
                at: start + .seconds(5 * index))
        }
    }
}
