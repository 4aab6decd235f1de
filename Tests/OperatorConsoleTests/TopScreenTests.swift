import StrictJSON
import Testing

@testable import OperatorConsole

/// Lines of `bearward top`, from the answers of a gateway.
struct TopScreenTests {
    private static func parsed(_ json: [UInt8]) throws -> JSONValue {
        try JSONDocument(parsing: json, limits: JSONLimits(depth: 32, members: .max, bytes: .max)).root
    }

    private static func parsed(_ json: String) throws -> JSONValue { try parsed(Array(json.utf8)) }

    private static let callers = """
        {"seconds":280,
        "clients":{"total":9,"unlisted":0,"callers":[{"issuer":"main","name":"app","count":1204,"error":4}]},
        "subjects":{"total":9,"unlisted":0,"callers":[{"issuer":"main","name":"u1","cut":true,"count":5,"error":0},
        {"issuer":"main","name":"u2","count":2,"error":0}]},
        "addresses":{"total":9,"unlisted":0,"callers":[{"name":"192.0.2.7","count":9,"error":0}]}}
        """
    private static let refusals = """
        {"kept":2,"noted":2,"left_out":0,"refusals":[
        {"time":"2026-11-01T02:26:39.123Z","status":401,"reason":"expired","method":"GET","path":"/items/7",
        "client":"192.0.2.7"},
        {"time":"2026-11-01T02:26:38.123Z","status":200,"reason":null,"would":{"status":403,"reason":"missing_scope"},
        "method":"PUT","path":"/items","client":null}]}
        """

    private static func lines(
        _ overview: Overview = OverviewSample.overview(), persons: Bool = true, columns: Int = 100, rows: Int? = nil
    ) throws -> [TopLine] {
        try TopScreen(
            overview: parsed(overview.json), callers: persons ? parsed(callers) : nil,
            refusals: persons ? parsed(refusals) : nil
        ).lines(columns: columns, rows: rows)
    }

    private static func width(_ text: String) -> Int { DisplayWidth.columns(of: text) }

    @Test func `all panels of the page are there`() throws {
        let rule = RuleTable.Row(
            resource: "shop", rule: "GET /items/**", requests: 1_234, unauthorized: 7, forbidden: 6, tooMany: 5,
            serverErrors: 4, percentile95: 0.011)
        let lines = try Self.lines(OverviewSample.overview(rules: [rule, OverviewSample.rule("", "", 3)]))
        #expect(
            lines.map(\.text) == [
                "bearward 0.9.0 (abc) on a7 · up 3 d 4 h · ● ready",
                "file: generation 12 · SHA-256 9f3a",
                "shadow: generation 4 · 90 same · 3 different · 0 unknown",
                "3 requests in flight · 12 connections · token cache 96.9 % hits · at 02:26:40 UTC",
                "TRAFFIC  requests/s 10.0 · 4xx/s 0.0 · 5xx/s 0.0 · p50 0.5 ms · p99 1.0 ms",
                "██",
                "",
                "ISSUERS  state      keys    age  next fetch  last error",
                "main     ● ready       2  1 min    in 1 min",
                "partner  ○ NO KEYS     0      –           –  connection refused",
                "",
                "UPSTREAMS      state  since  in flight  latency  resource  cause",
                "10.0.0.1:9000  ● in       –          1   2.1 ms  shop /",
                "10.0.0.2:9000  ○ OUT   40 s          0        –  shop /    refused",
                "",
                "RULES                    requests  401  403  429  5xx    p95",
                "shop GET /items/**          1,234    7    6    5    4  11 ms",
                "(no resource) (no rule)         3    0    0    0    0  11 ms",
                "",
                "REFUSED  status  count",
                "expired     401      4",
                "",
                "SOON           name  when",
                "rule enforces  main  in 5 d",
                "",
                "CALLERS  issuer  name          requests",
                "client   main    app        1,200–1,204",
                "subject  main    u1…                  5",
                "address          192.0.2.7            9",
                "subject  main    u2                   2",
                "",
                "REFUSALS  reason                      request       client",
                "02:26:39  401 expired                 GET /items/7  192.0.2.7",
                "02:26:38  200 would be missing_scope  PUT /items    –",
            ])
        #expect(lines.filter { $0.style == .alarm }.count == 2)
    }

    @Test func `a gateway that is not ready says why, and so does a file that was not loaded`() throws {
        let lines = try Self.lines(OverviewSample.overview(obstacle: "no issuer has keys yet"))
        #expect(lines.first?.text.hasSuffix("○ NOT READY: no issuer has keys yet") == true)
        #expect(lines.first?.style == .alarm)
    }

    @Test func `without the token there are no panels of persons, and a note says why`() throws {
        let screen = TopScreen(
            overview: try Self.parsed(OverviewSample.overview().json), notes: ["they need \u{1B}[2J a token"])
        let texts = screen.lines(columns: 80, rows: nil).map(\.text)
        #expect(texts.contains(#"they need \u{1b}[2J a token"#))
        #expect(!texts.contains { $0.hasPrefix("CALLERS") || $0.hasPrefix("REFUSALS") })
    }

    @Test func `rates of rules are the difference of two overviews`() throws {
        let rules = [("a", UInt64(100)), ("b", 5), ("c", 0)]
        let before = OverviewSample.overview(rules: rules.map { OverviewSample.rule("shop", $0, $1) })
        let now = OverviewSample.overview(rules: [
            OverviewSample.rule("shop", "a", 125), OverviewSample.rule("shop", "b", 4),
            OverviewSample.rule("shop", "d", 9),
        ])
        func shown(after age: Duration) throws -> [String] {
            let screen = TopScreen(
                overview: try Self.parsed(now.json), earlier: (try Self.parsed(before.json), age))
            return screen.lines(columns: 80, rows: nil).map(\.text)
        }
        let texts = try shown(after: .seconds(2))
        #expect(texts.contains { $0.hasPrefix("RULES   req/s  requests  401") })
        #expect(texts.contains { $0.hasPrefix("shop a   12.5       125 ") })
        // Fewer than before: another process counts. Not there before: the file was reloaded.
        #expect(texts.contains { $0.hasPrefix("shop b      –         4 ") })
        #expect(texts.contains { $0.hasPrefix("shop d      –         9 ") })
        #expect(try shown(after: .zero).contains { $0.hasPrefix("shop a      –       125 ") })
    }

    @Test(arguments: [1, 2, 8, 9, 20, 40, 80, 200], [0, 1, 2, 3, 5, 8, 12, 24, 40, 100])
    func `a screen never exceeds its terminal`(columns: Int, rows: Int) throws {
        let rules = (0..<50).map { OverviewSample.rule("shop", "GET /漢字/\($0)/**", UInt64($0)) }
        let lines = try Self.lines(OverviewSample.overview(rules: rules), columns: columns, rows: rows)
        #expect(lines.count <= rows)
        #expect(lines.allSatisfy { Self.width($0.text) <= columns })
        // All lines are used that there are.
        if rows <= 40, columns >= 40 { #expect(lines.count == rows) }
    }

    @Test func `a small screen has a row of each panel before a second one, and says what is left out`() throws {
        let rules = (0..<50).map { OverviewSample.rule("shop", "GET /\($0)", UInt64($0)) }
        let texts = try Self.lines(OverviewSample.overview(rules: rules), rows: 24).map(\.text)
        for title in ["ISSUERS", "UPSTREAMS", "RULES (2 of 50)", "REFUSED", "SOON", "CALLERS", "REFUSALS"] {
            #expect(texts.contains { $0.hasPrefix(title) }, "\(title): \(texts)")
        }
    }

    @Test func `hostile names act on no terminal, and long ones are cut (T565)`() throws {
        let long = String(repeating: "\u{9B}31m漢\u{301}", count: 16_384)
        let overview = OverviewSample.overview(
            name: OverviewSample.hostile, obstacle: OverviewSample.hostile,
            rules: [OverviewSample.rule(OverviewSample.hostile, long, 1), OverviewSample.rule(long, "GET /", 2)],
            refusals: [ReasonCount(reason: OverviewSample.hostile, status: 401, count: 1)])
        let hostile = #""\u001b]0;x\u0007\u202e\r\n\u009b2J\u2066""#
        let callers = #"{"clients":{"callers":[{"issuer":\#(hostile),"name":\#(hostile),"count":1}]}}"#
        let refusals = """
            {"refusals":[{"time":\(hostile),"reason":\(hostile),"method":\(hostile),"path":\(hostile),
            "client":\(hostile)},{"would":\(hostile)}]}
            """
        let screen = TopScreen(
            overview: try Self.parsed(overview.json), callers: try Self.parsed(callers),
            refusals: try Self.parsed(refusals))
        let lines = screen.lines(columns: 120, rows: nil)
        #expect(lines.contains { $0.text.contains(#"\u{202e}\u{1b}[2J"#) })
        #expect(lines.contains { $0.text.contains(#"\u{1b}]0;x\u{7}"#) })
        for line in lines {
            #expect(Self.width(line.text) <= 120)
            let acting = line.text.unicodeScalars.filter {
                [.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
            }
            #expect(acting.isEmpty, "\(line.text.visible)")
        }
    }

    @Test(arguments: [
        "{}", "[]", #"{"issuers":[null,1,{}],"upstreams":[{"targets":[{}]}],"rules":[{}],"refusals":[{}]}"#,
        #"{"soon":[{}],"traffic":{"requests_per_second":[null,"x",-1,1e300]},"uptime_seconds":-5,"shadow":{}}"#,
        #"{"time":"2026-99-99T99:99:99Z","token_cache_hits":9223372036854775807,"rules":[{"requests":-1}]}"#,
    ])
    func `an answer without the expected members is shown with dashes`(json: String) throws {
        let value = try Self.parsed(json)
        let screen = TopScreen(overview: value, callers: value, refusals: value, earlier: (value, .seconds(2)))
        for rows in [nil, 10, 24] {
            let lines = screen.lines(columns: 80, rows: rows)
            #expect(lines.first?.text.hasPrefix("bearward – on –") == true)
        }
    }
}
