import TestSupport
import Testing
import TokenVerification

@testable import AccessControl

struct RouteTableTests {
    // MARK: Path parameters

    @Test(
        arguments: [
            ("/admin/users", "ANY /admin/**"), ("/admin;x=1/users", "ANY /admin/**"),
            ("/admin;/users", "ANY /admin/**"),
            ("/admin%3Bx/users", "ANY /admin/**"), ("/admin%3bx=%2A/users/", "ANY /admin/**"),
            ("/%61dmin;x;y=1", "ANY /admin/**"),
            ("/adminx;y/users", "ANY /**"), ("/x;admin/users", "ANY /**"),
            ("/tenants;t/7;x=1/a", "GET /tenants/{id}/a"),
            ("/files;v/", "GET /files/"), ("/files/;v", nil), ("/files;v", "GET /files"),
        ] as [(String, String?)])
    func `a segment is matched without its path parameters`(path: String, rule: String?) throws {
        let table = try RouteTable("ANY /admin/**", "ANY /**", "GET /tenants/{id}/a", "GET /files/", "GET /files")
        #expect((try? table.rule("GET " + path)).flatMap(\.self) == rule)
    }

    @Test(arguments: ["/orgs/o1;x=1/bills", "/orgs/o1;/bills", "/orgs/o1%3b7/bills;z", "/orgs/%6f1;x=1/bills"])
    func `a captured value is the text of the segment without path parameters`(text: String) throws {
        let table = try RouteTable("GET /orgs/{org}/bills")
        let path = try RequestPath(text)
        let match = try #require(try table.match("GET \(text)"))
        #expect(table.value(of: "org", in: match, path: path).map(Array.init) == Array("o1".utf8))
    }

    @Test func `a literal segment with path parameters matches nothing`() throws {
        let table = try RouteTable("GET /a;x/b", "GET /c%3Bd")
        for path in ["/a;x/b", "/a/b", "/a%3Bx/b", "/c;d", "/c%3Bd", "/c"] {
            #expect(try table.rule("GET " + path) == nil, "\(path)")
        }
    }

    // MARK: The methods of a path

    @Test(
        arguments: [
            ("/a", ["GET", "POST"]), ("/a/7", ["DELETE", "PUT"]), ("/a/7/b", []), ("/b", ["OPTIONS"]),
            ("/a/", ["GET", "POST"]),
        ])
    func `the methods of a path are the methods that its rules name`(path: String, methods: [String]) throws {
        let table = try RouteTable("POST,GET /a", "PUT /a/{x}", "DELETE /a/*", "ANY /a/7/b", "OPTIONS /b", "PATCH /c")
        #expect(table.namedMethods(for: try RequestPath(path), below: 0) == methods)
    }

    // MARK: The most specific path

    @Test func `a rule for another method is skipped`() throws {
        let table = try RouteTable("GET /a/{x}", "POST /a/b")
        #expect(try table.rule("GET /a/b") == "GET /a/{x}")
        #expect(try table.rule("POST /a/b") == "POST /a/b")
        #expect(try table.rule("POST /a/c") == nil)
    }

    @Test func `the search backtracks from a literal edge that leads to no matching rule`() throws {
        let table = try RouteTable("GET /a/b/d", "GET /a/{x}/c")
        #expect(try table.rule("GET /a/b/c") == "GET /a/{x}/c")
        #expect(try table.rule("GET /a/b/d") == "GET /a/b/d")
        #expect(try table.rule("GET /a/b/e") == nil)
    }

    @Test func `a more specific path is preferred to a more specific method`() throws {
        let table = try RouteTable("ANY /a/b", "GET /a/{x}")
        #expect(try table.rule("GET /a/b") == "ANY /a/b")
        #expect(try table.rule("GET /a/c") == "GET /a/{x}")
    }

    @Test func `a literal is preferred to a parameter, a parameter to a star, a star to a double star`() throws {
        let table = try RouteTable("GET /**", "GET /*", "GET /{x}", "GET /a")
        #expect(try table.rule("GET /a") == "GET /a")
        #expect(try table.rule("GET /b") == "GET /{x}")
        #expect(try table.rule("GET /a/b") == "GET /**")
        #expect(try table.rule("GET /") == "GET /**")
        #expect(try RouteTable("GET /**", "GET /*").rule("GET /b") == "GET /*")
    }

    @Test func `segments are compared from left to right`() throws {
        let table = try RouteTable("GET /a/**", "GET /{x}/b/c", "GET /*/b/{y}")
        #expect(try table.rule("GET /a/b/c") == "GET /a/**")
        #expect(try table.rule("GET /z/b/c") == "GET /{x}/b/c")
        #expect(try table.rule("GET /z/b/d") == "GET /*/b/{y}")
    }

    @Test func `a rule that ends with the path is preferred to a double star`() throws {
        let table = try RouteTable("GET /orders/**", "GET /orders")
        #expect(try table.rule("GET /orders") == "GET /orders")
        #expect(try table.rule("GET /orders/") == "GET /orders")
        #expect(try table.rule("GET /orders/7") == "GET /orders/**")
    }

    @Test(arguments: ["/orders", "/orders/", "/orders/7", "/orders/7/x", "/orders/7/x/"])
    func `a double star covers zero or more segments`(path: String) throws {
        #expect(try RouteTable("GET /orders/**").rule("GET " + path) == "GET /orders/**")
    }

    @Test(arguments: ["/ordersX", "/order", "/", "/Orders", "/ORDERS/x", "/orders.", "/orders.json", "/orders%20"])
    func `segments match as a whole and case-sensitively`(path: String) throws {
        #expect(try RouteTable("GET /orders/**").rule("GET " + path) == nil)
    }

    @Test func `a star or parameter matches exactly one segment`() throws {
        for table in [try RouteTable("GET /a/*"), try RouteTable("GET /a/{x}")] {
            #expect(try table.match("GET /a/b") != nil)
            #expect(try table.match("GET /a/b/") != nil)
            #expect(try table.match("GET /a") == nil)
            #expect(try table.match("GET /a/") == nil)
            #expect(try table.match("GET /a/b/c") == nil)
        }
    }

    @Test func `segments are compared after decoding`() throws {
        let table = try RouteTable("GET /users/%40me", "GET /users/{id}", "GET /%2A", "GET /straße")
        #expect(try table.rule("GET /users/@me") == "GET /users/@me")
        #expect(try table.rule("GET /users/%40me") == "GET /users/@me")
        #expect(try table.rule("GET /%75sers/%40%6De") == "GET /users/@me")
        #expect(try table.rule("GET /*") == "GET /%2A")
        #expect(try table.rule("GET /x") == nil)
        #expect(try table.rule("GET /stra%c3%9fe") == "GET /stra%C3%9Fe")
        // Bytes are compared as given: another normalization form is another path.
        #expect(try RouteTable("GET /\u{E9}").rule("GET /e%CC%81") == nil)
    }

    // MARK: The slash at the end

    @Test func `a rule matches its path with and without a trailing slash`() throws {
        #expect(try RouteTable("GET /a").rule("GET /a/") == "GET /a")
        #expect(try RouteTable("GET /a/").rule("GET /a") == "GET /a/")
        #expect(try RouteTable("GET /").rule("GET /") == "GET /")
    }

    @Test func `a separate rule for the path with a trailing slash takes precedence for that path`() throws {
        let table = try RouteTable("GET /a", "GET /a/", "POST /a/")
        #expect(try table.rule("GET /a") == "GET /a")
        #expect(try table.rule("GET /a/") == "GET /a/")
        #expect(try table.rule("POST /a") == "POST /a/")
    }

    @Test func `the trailing slash is compared before the method`() throws {
        let table = try RouteTable("ANY /a/", "GET /a")
        #expect(try table.rule("GET /a/") == "ANY /a/")
        #expect(try table.rule("GET /a") == "GET /a")
        #expect(try table.rule("PUT /a") == "ANY /a/")
    }

    @Test func `segments are compared before the trailing slash`() throws {
        let table = try RouteTable("GET /a/{x}/", "GET /a/b")
        #expect(try table.rule("GET /a/b/") == "GET /a/b")
        #expect(try table.rule("GET /a/c") == "GET /a/{x}/")
    }

    // MARK: Methods

    @Test func `for HEAD, a HEAD rule is preferred to GET, and GET to ANY`() throws {
        let table = try RouteTable("ANY /a", "GET /a", "HEAD /a", "GET /b", "ANY /b", "ANY /c", "HEAD /d")
        #expect(try table.rule("HEAD /a") == "HEAD /a")
        #expect(try table.rule("GET /a") == "GET /a")
        #expect(try table.rule("PUT /a") == "ANY /a")
        #expect(try table.rule("HEAD /b") == "GET /b")
        #expect(try table.rule("HEAD /c") == "ANY /c")
        #expect(try table.rule("GET /d") == nil)
    }

    @Test func `a GET rule matches HEAD unless a HEAD rule has a more specific path`() throws {
        let table = try RouteTable("HEAD /a/{x}", "GET /a/b")
        #expect(try table.rule("HEAD /a/b") == "GET /a/b")
        #expect(try table.rule("HEAD /a/c") == "HEAD /a/{x}")
    }

    @Test(arguments: ["CONNECT", "TRACE"])
    func `no rule covers CONNECT and TRACE`(method: String) throws {
        #expect(try RouteTable("ANY /**").rule(method + " /a") == nil)
    }

    @Test(arguments: ["get", "PROPFIND", "X", "trace", "connect", "TRACER", "GETT"])
    func `ANY matches every method except CONNECT and TRACE, and methods are case-sensitive`(method: String) throws {
        let table = try RouteTable("ANY /a", "GET /b", "PURGE /b")
        #expect(try table.rule(method + " /a") == "ANY /a")
        #expect(try table.rule(method + " /b") == nil)
        #expect(try table.rule("PURGE /b") == "PURGE /b")
    }

    // MARK: Below a place

    @Test func `rule paths are relative to the place`() throws {
        let table = try RouteTable("GET /", "GET /{id}", "GET /{id}/items/**")
        #expect(try table.rule("GET /api/orders", below: "/api/orders") == "GET /")
        #expect(try table.rule("GET /api/orders/", below: "/api/orders") == "GET /")
        #expect(try table.rule("GET /api/orders/7", below: "/api/orders") == "GET /{id}")
        #expect(try table.rule("GET /api/orders/7/items", below: "/api/orders") == "GET /{id}/items/**")
        #expect(try table.rule("GET /api", below: "/api/orders") == "GET /")
    }

    @Test func `the value of a path parameter is its decoded segment`() throws {
        let table = try RouteTable("GET /orgs/{org}/*/{id}", "GET /**")
        let path = try RequestPath("/api/orgs/caf%C3%A9/x/7/")
        let match = try #require(try table.match("GET /api/orgs/caf%C3%A9/x/7/", below: "/api"))
        #expect(match.ruleIndex == 0)
        #expect(table.value(of: "org", in: match, path: path).map { String(decoding: $0, as: UTF8.self) } == "café")
        #expect(table.value(of: "id", in: match, path: path).map { String(decoding: $0, as: UTF8.self) } == "7")
        #expect(table.value(of: "x", in: match, path: path) == nil)
        #expect(match.segmentIndex(ofPosition: 3) == 4)
    }

    @Test func `rules may name a parameter at the same position differently`() throws {
        let table = try RouteTable("GET /{a}/x", "POST /{b}/x", "GET /{c}/y")
        let path = try RequestPath("/7/y")
        let match = try #require(try table.match("GET /7/y"))
        #expect(table.value(of: "c", in: match, path: path).map { [UInt8]($0) } == [UInt8]("7".utf8))
        #expect(table.value(of: "a", in: match, path: path) == nil)
    }

    // MARK: Tables

    @Test(
        arguments: [
            (["GET /a", "POST /a", "GET /a"], 0, 2), (["GET /{a}/x", "GET /{b}/x"], 0, 1),
            (["GET,HEAD /a", "HEAD,PUT /a"], 0, 1),
            (["ANY /a", "GET /a", "ANY /a"], 0, 2), (["GET /a/**", "GET /a", "GET /a/**"], 0, 2),
            (["GET /a/", "GET /a", "GET /a/"], 0, 2),
            (["GET /%61", "GET /a"], 0, 1), (["GET /*", "GET /*"], 0, 1), (["GET /", "GET /"], 0, 1),
        ] as [([String], RuleIndex, RuleIndex)]
    )
    func `two rules with the same matches and precedence are a conflict`(
        routes: [String], first: RuleIndex, second: RuleIndex
    )
        throws
    {
        let routes = try routes.map { try RoutePattern($0) }
        #expect(throws: RouteConflict(first: first, second: second)) { try RouteTable(routes) }
    }

    @Test func `rules that differ in method, slash or kind of segment are no conflict`() throws {
        let table = try RouteTable(
            "GET /a", "HEAD /a", "ANY /a", "GET /a/", "GET /a/**", "GET /a/*", "GET /a/{x}", "GET /A")
        #expect(table.routes.count == 8)
    }

    @Test func `a lookup without a method finds only rules for any method`() throws {
        let table = try RouteTable(["GET /a/**", "ANY /a/b/**", "ANY /**"].map { try RoutePattern($0) })
        for (path, rule) in [("/a/c", 2), ("/a/b/c", 1), ("/x", 2)] {
            var request = RequestPath()
            try request.canonicalize(Array(path.utf8).span)
            #expect(table.match(path: request, below: 0)?.ruleIndex == RuleIndex(rule))
        }
    }

    @Test func `an empty route table matches nothing`() throws {
        #expect(try RouteTable([]).rule("GET /") == nil)
        #expect(try RouteTable().rule("GET /") == nil)
    }

    @Test(.slow) func `every one of 100,000 literal rules is found`() throws {
        let routes = try (0..<100_000).map { try RoutePattern("GET /tenants/t\($0 % 1000)/things/\($0)") }
        let table = try RouteTable(routes)
        for index in stride(from: 0, to: 100_000, by: 37) {
            #expect(try table.match("GET /tenants/t\(index % 1000)/things/\(index)")?.ruleIndex == RuleIndex(index))
            #expect(try table.match("GET /tenants/t\((index + 1) % 1000)/things/\(index)") == nil)
        }
        #expect(try table.match("GET /tenants/t5/things") == nil)
    }

    @Test func `a lookup that backtracks through every path of the trie terminates`() throws {
        // Twelve levels with three edges each, none of which leads to a rule for the method.
        let routes = try (0..<4096).map { number in
            let path = (0..<12).map { number >> $0 & 1 == 0 ? "/a" : "/{p\($0)}" }.joined()
            return try RoutePattern("POST \(path)")
        }
        let table = try RouteTable(routes)
        #expect(try table.match("GET " + String(repeating: "/a", count: 12)) == nil)
        #expect(try table.match("POST " + String(repeating: "/a", count: 12))?.ruleIndex == 0)
    }
}
