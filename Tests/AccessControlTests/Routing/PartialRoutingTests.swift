import TestSupport
import Testing
import TokenVerification

@testable import AccessControl

/// Rules with text beside a wildcard, and with segments behind `**`.
struct PartialRoutingTests {
    // MARK: Text beside a wildcard

    @Test(
        arguments: [
            ("/orders/7:cancel", "GET /orders/{id}:cancel"), ("/orders/7%3Acancel", "GET /orders/{id}:cancel"),
            ("/orders/7:cancel;v=1", "GET /orders/{id}:cancel"), ("/orders/7:cancel/", "GET /orders/{id}:cancel"),
            ("/orders/a:b:cancel", "GET /orders/{id}:cancel"), ("/orders/:cancel", nil), ("/orders/7:Cancel", nil),
            ("/orders/7:cancel/x", nil), ("/orders/7;x:cancel", nil), ("/Items(7)", "GET /Items({id})"),
            ("/Items()", nil), ("/Items(7", nil), ("/Items(7)x", nil), ("/main.css", "GET /*.css"),
            ("/.css", nil), ("/é.css", "GET /*.css"), ("/%C3%A9.css", "GET /*.css"), ("/v1", "GET /v*"), ("/v", nil),
            ("/v/x", nil), ("/aba", nil), ("/abba", nil), ("/abxba", "GET /ab*ba"),
        ] as [(String, String?)])
    func `a segment matches text beside a wildcard if at least one byte is left`(path: String, rule: String?) throws {
        let table = try RouteTable(
            "GET /orders/{id}:cancel", "GET /Items({id})", "GET /*.css", "GET /v*", "GET /ab*ba")
        #expect(try table.rule("GET " + path) == rule)
    }

    @Test(
        arguments: [
            ("/a.css", "GET /a.css"), ("/ab.css", "GET /a*.css"), ("/b.css", "GET /*.css"),
            ("/b.x.css", "GET /*.x.css"),
            ("/bx.c", "GET /{name}"), ("/a:x", "GET /{id}:x"),
        ])
    func `a literal is preferred to the longest text beside a wildcard, and that to a parameter`(
        path: String, rule: String
    ) throws {
        let table = try RouteTable(
            "GET /*", "GET /{name}", "GET /*.css", "GET /*:x", "GET /a*.css", "GET /*.x.css", "GET /a.css",
            "GET /{id}:x")
        #expect(try table.rule("GET " + path) == rule)
    }

    @Test func `of two texts of the same length, the one with more before the wildcard is preferred`() throws {
        let table = try RouteTable("GET /*bb", "GET /a*b", "GET /aa*")
        #expect(try table.rule("GET /aaxbb") == "GET /aa*")
        #expect(try table.rule("GET /axbb") == "GET /a*b")
        #expect(try table.rule("GET /xxbb") == "GET /*bb")
    }

    @Test func `the search goes on from text beside a wildcard that leads to no rule for the method`() throws {
        let table = try RouteTable("POST /{id}:x", "GET /*x", "DELETE /{name}", "PUT /v*/a", "PUT /{x}/b")
        #expect(try table.rule("POST /7:x") == "POST /{id}:x")
        #expect(try table.rule("GET /7:x") == "GET /*x")
        #expect(try table.rule("DELETE /7:x") == "DELETE /{name}")
        #expect(try table.rule("PUT /v1/b") == "PUT /{x}/b")
        #expect(try table.rule("PATCH /7:x") == nil)
    }

    @Test func `a name beside other text has no value`() throws {
        let table = try RouteTable("GET /{org}/{id}:cancel")
        let path = try RequestPath("/acme/7:cancel")
        let match = try #require(try table.match("GET /acme/7:cancel"))
        #expect(table.value(of: "org", in: match, path: path).map(Array.init) == Array("acme".utf8))
        #expect(table.value(of: "id", in: match, path: path) == nil)
    }

    // MARK: Segments behind a double star

    @Test(
        arguments: [
            ("/healthz", "GET /**/healthz"), ("/healthz/", "GET /**/healthz"), ("/a/b/healthz", "GET /**/healthz"),
            ("/a/healthz", "GET /a/healthz"), ("/b/healthz", "GET /b/**"), ("/live/healthz", "GET /**/live/healthz"),
            ("/x/live/healthz", "GET /**/live/healthz"), ("/healthz/x", nil), ("/", nil), ("/xhealthz", nil),
            ("/x/y.css", "GET /**/*.css"), ("/c/x/d", "GET /c/**/d"), ("/c/d", "GET /c/**/d"), ("/c", nil),
            ("/c/x/d;v=1", "GET /c/**/d"), ("/c/d/d", "GET /c/**/d"),
        ] as [(String, String?)])
    func `a double star may stand before further segments, and the longest of these are preferred`(
        path: String, rule: String?
    ) throws {
        let table = try RouteTable(
            "GET /**/healthz", "GET /a/healthz", "GET /b/**", "GET /**/live/healthz", "GET /**/*.css", "GET /c/**/d")
        #expect(try table.rule("GET " + path) == rule)
    }

    @Test func `a double star at the end is preferred to none of those with further segments`() throws {
        let table = try RouteTable("GET /**", "GET /**/a", "POST /**/b/a", "GET /**/{x}/c/", "GET /**/{y}/c")
        #expect(try table.rule("GET /b/a") == "GET /**/a")
        #expect(try table.rule("POST /b/a") == "POST /**/b/a")
        #expect(try table.rule("GET /b") == "GET /**")
        #expect(try table.rule("GET /") == "GET /**")
        #expect(try table.rule("GET /b/c/") == "GET /**/{x}/c/")
        #expect(try table.rule("GET /b/c") == "GET /**/{y}/c")
        #expect(try table.rule("GET /c") == "GET /**")
    }

    @Test func `segments before a double star do not count as those behind it`() throws {
        let table = try RouteTable("GET /a/**/a", "GET /a/b/**/b/c")
        #expect(try table.rule("GET /a") == nil)
        #expect(try table.rule("GET /a/a") == "GET /a/**/a")
        #expect(try table.rule("GET /a/b/c") == nil)
        #expect(try table.rule("GET /a/b/b/c") == "GET /a/b/**/b/c")
        #expect(try table.rule("GET /p/a/x/a", below: "/p") == "GET /a/**/a")
        #expect(try table.rule("GET /a/a", below: "/a") == nil)
    }

    // MARK: Conflicts

    @Test(arguments: [
        ["GET /{a}:x", "GET /{b}:x"], ["GET /*.x", "ANY /**", "GET,POST /*.x"], ["GET /**/a", "GET /b", "GET /**/a"],
        ["GET /**/{a}/*", "GET /**/{b}/*"],
    ])
    func `two rules with the same parts are a conflict`(_ routes: [String]) throws {
        let routes = try routes.map { try RoutePattern($0) }
        #expect(throws: RouteConflict(first: 0, second: RuleIndex(routes.count - 1))) { try RouteTable(routes) }
    }

    @Test func `ambiguous rules are found up to a limit, and only if they differ`() throws {
        let table = try RouteTable(
            "GET /v*", "GET /*.css", "GET /a/**/b/*", "GET /a/**/{x}/c", "POST /*.css", "GET /vv*")
        let all = table.ambiguousRules(limit: 9) { _, _ in true }
        #expect(all == [AmbiguousRules(first: 0, second: 1), .init(first: 2, second: 3), .init(first: 1, second: 5)])
        #expect(table.ambiguousRules(limit: 9) { first, _ in first == 2 } == [AmbiguousRules(first: 2, second: 3)])
        #expect(table.ambiguousRules(limit: 1) { _, _ in true }.count == 1)
    }

    // MARK: Ends that a server may remove

    @Test(
        arguments: [
            (["GET /a/*.css", "GET /a/{x}"], 1, "/a/x.css", "/a/x"),
            (["GET /a/*.css", "ANY /**"], 1, "/a/x.css", "/a/x"),
            (["GET /a/{x}:b", "GET /a/{x}"], 1, "/a/x:b", "/a/x"), (["GET /v*.css", "GET /v1"], 1, "/v1.css", "/v1"),
            (["GET /x.css", "ANY /x"], nil, "", ""), (["GET /a/*.css", "POST /a/{x}"], nil, "", ""),
            (["GET /a/*.css", "GET /b/{x}"], nil, "", ""), (["GET /a/*.css", "GET /a/**/b"], 1, "/a/b.css", "/a/b"),
            (["GET /v*", "GET /**"], nil, "", ""), (["GET /**/healthz", "GET /**"], 1, "/healthz", "/"),
            (["GET /**/healthz", "GET /a/**"], nil, "", ""),
            (["GET /**/healthz", "GET /a/{x}"], 1, "/a/x/healthz", "/a/x"),
            (["GET /**/healthz", "GET /a"], 1, "/a/healthz", "/a"),
            (["GET /**/healthz", "GET /healthz/b"], 1, "/healthz/b/healthz", "/healthz/b"),
            (["GET /**/b/c", "GET /a/b"], 1, "/a/b/c", "/a/b"),
            (["GET /**/*.css", "GET /a/{x}"], 1, "/a/x/x.css", "/a/x"),
            (["HEAD /a/*.css", "GET /a/{x}"], 1, "/a/x.css", "/a/x"),
            (["ANY /a/*.css", "PUT /a/{x}"], 1, "/a/x.css", "/a/x"),
            (["GET /*.css", "GET /x", "GET /y*"], 1, "/x.css", "/x"),
        ] as [([String], RuleIndex?, String, String)])
    func `an open rule is reported if its end added to a path of a stricter rule opens that`(
        routes: [String], stricter: RuleIndex?, path: String, stripped: String
    ) throws {
        let table = try RouteTable(try routes.map { try RoutePattern($0) })
        let found = table.strippedEnds(limit: 9, isOpen: { $0 == 0 }, isStricter: { $0 != 0 })
        let expected = stricter.map { [StrippedEnd(rule: 0, stricter: $0, path: path, stripped: stripped)] } ?? []
        #expect(found == expected)
    }

    @Test(
        arguments: [
            (["GET /**/healthz", "GET /**", "GET /", "GET /{a}", "GET /{a}/{b}"], [0, 2, 3, 4], 1),
            (["GET /v*.css", "GET /v{n}", "GET /vx"], [0, 2], 1), (["GET /**/*.b", "GET /files/**/x.*"], [0], 1),
            (["GET /*.css", "GET /{id}", "HEAD /{id}"], [0, 1], 2), (["GET /a*b", "GET /{n}b"], [0], 1),
        ] as [([String], Set<RuleIndex>, RuleIndex)])
    func `a stricter rule is found behind open rules for shorter paths, other texts and methods`(
        routes: [String], open: Set<RuleIndex>, stricter: RuleIndex
    ) throws {
        let table = try RouteTable(try routes.map { try RoutePattern($0) })
        let found = table.strippedEnds(limit: 9, isOpen: open.contains, isStricter: { !open.contains($0) })
        #expect(found.map(\.rule) == [0] && found.map(\.stricter) == [stricter])
    }

    // MARK: The bound of a lookup

    private struct Count: LookupVisits {
        var visits = 0
        mutating func visit() { visits += 1 }
    }

    private static func visits(_ table: RouteTable, _ path: RequestPath) -> Int {
        var count = Count()
        let cursor = SegmentCursor(of: path, from: 0)
        _ = table.rule(below: RouteTrie.root, over: cursor, of: path, in: .plain, for: .other, &count)
        return count.visits
    }

    @Test func `the longest hostile path visits no node twice`() throws {
        // Every segment fits everywhere, and no rule is for the method.
        let parts = ["aaa", "a*", "*a", "{x}", "*"]
        var routes: [RoutePattern] = []
        for first in parts {
            for second in parts {
                let end = second.replacing("{x}", with: "{y}")
                routes.append(try RoutePattern("POST /\(first)/\(end)/b"))
                routes.append(try RoutePattern("POST /\(first)/**/b/\(end)/\(end == "{y}" ? "{z}" : end)"))
                routes.append(try RoutePattern("POST /\(first)/\(end)/**/b/aaa/aaa/aaa"))
            }
        }
        let table = try RouteTable(routes)
        let segments = try RequestPath(String(repeating: "/aaa", count: RequestPath.longestPath / 4))
        #expect(segments.segmentCount == RequestPath.longestPath / 4)
        #expect(Self.visits(table, segments) <= table.trie.nodes.count)
        #expect(Self.visits(table, segments) > 40)
        let bytes = try RequestPath("/" + String(repeating: "a", count: RequestPath.longestPath - 1))
        #expect(Self.visits(table, bytes) <= table.trie.nodes.count)
        #expect(Self.visits(table, try RequestPath("/aaa/aaa/aaa/aaa/aaa/aaa")) == Self.visits(table, segments))
    }

    @Test func `a lookup compares many texts of one shape at once`() throws {
        let table = try RouteTable(try (0..<10_000).map { try RoutePattern("POST /{id}:verb\(10_000 + $0)") })
        #expect(try table.match("POST /7:verb17777")?.ruleIndex == 7_777)
        #expect(Self.visits(table, try RequestPath("/7:verb17777")) == 2)
        #expect(Self.visits(table, try RequestPath("/7:verb9999")) == 1)
        #expect(table.trie.partials.shapes(of: 0).count == 1)
    }
}
