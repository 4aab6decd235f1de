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
    func `a segment is matched without its parameters`(path: String, rule: String?) throws {
        let table = try RouteTable("ANY /admin/**", "ANY /**", "GET /tenants/{id}/a", "GET /files/", "GET /files")
        #expect((try? table.rule("GET " + path)).flatMap(\.self) == rule)
    }

    @Test(arguments: ["/orgs/o1;x=1/bills", "/orgs/o1;/bills", "/orgs/o1%3b7/bills;z", "/orgs/%6f1;x=1/bills"])
    func `a name in the path has its segment's text without parameters`(text: String) throws {
        let table = try RouteTable("GET /orgs/{org}/bills")
        let path = try RequestPath(text)
        let match = try #require(try table.match("GET \(text)"))
        #expect(table.value(of: "org", in: match, path: path).map(Array.init) == Array("o1".utf8))
    }

    @Test func `a literal with parameters matches nothing`() throws {
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
    func `the methods of a path are those that its rules name`(path: String, methods: [String]) throws {
        let table = try RouteTable("POST,GET /a", "PUT /a/{x}", "DELETE /a/*", "ANY /a/7/b", "OPTIONS /b", "PATCH /c")
        #expect(table.namedMethods(for: try RequestPath(path), below: 0) == methods)
    }

    // MARK: The most specific path

    @Test func `a rule that does not match the method is passed over`() throws {
        let table = try RouteTable("GET /a/{x}", "POST /a/b")
        #expect(try table.rule("GET /a/b") == "GET /a/{x}")
        #expect(try table.rule("POST /a/b") == "POST /a/b")
        #expect(try table.rule("POST /a/c") == nil)
    }

    @Test func `a literal edge without a matching rule is abandoned`() throws {
        let table = try RouteTable("GET /a/b/d", "GET /a/{x}/c")
        #expect(try table.rule("GET /a/b/c") == "GET /a/{x}/c")
        #expect(try table.rule("GET /a/b/d") == "GET /a/b/d")
        #expect(try table.rule("GET /a/b/e") == nil)
    }

    @Test func `a more specific path wins over a more specific method`() throws {
        let table = try RouteTable("ANY /a/b", "GET /a/{x}")
        #expect(try table.rule("GET /a/b") == "ANY /a/b")
        #expect(try table.rule("GET /a/c") == "GET /a/{x}")
    }

    @Test func `literal goes before name before star before double star`() throws {
        let table = try RouteTable("GET /**", "GET /*", "GET /{x}", "GET /a")
        #expect(try table.rule("GET /a") == "GET /a")
        #expect(try table.rule("GET /b") == "GET /{x}")
        #expect(try table.rule("GET /a/b") == "GET /**")
        #expect(try table.rule("GET /") == "GET /**")
        #expect(try RouteTable("GET /**", "GET /*").rule("GET /b") == "GET /*")
    }

    @Test func `segments are compared from the left`() throws {
        let table = try RouteTable("GET /a/**", "GET /{x}/b/c", "GET /*/b/{y}")
        #expect(try table.rule("GET /a/b/c") == "GET /a/**")
        #expect(try table.rule("GET /z/b/c") == "GET /{x}/b/c")
        #expect(try table.rule("GET /z/b/d") == "GET /*/b/{y}")
    }

    @Test func `a path that ends exactly goes before double star`() throws {
        let table = try RouteTable("GET /orders/**", "GET /orders")
        #expect(try table.rule("GET /orders") == "GET /orders")
        #expect(try table.rule("GET /orders/") == "GET /orders")
        #expect(try table.rule("GET /orders/7") == "GET /orders/**")
    }

    @Test(arguments: ["/orders", "/orders/", "/orders/7", "/orders/7/x", "/orders/7/x/"])
    func `double star covers zero or more segments`(path: String) throws {
        #expect(try RouteTable("GET /orders/**").rule("GET " + path) == "GET /orders/**")
    }

    @Test(arguments: ["/ordersX", "/order", "/", "/Orders", "/ORDERS/x", "/orders.", "/orders.json", "/orders%20"])
    func `segments match whole and case-sensitively`(path: String) throws {
        #expect(try RouteTable("GET /orders/**").rule("GET " + path) == nil)
    }

    @Test func `a star and a name are exactly one segment`() throws {
        for table in [try RouteTable("GET /a/*"), try RouteTable("GET /a/{x}")] {
            #expect(try table.match("GET /a/b") != nil)
            #expect(try table.match("GET /a/b/") != nil)
            #expect(try table.match("GET /a") == nil)
            #expect(try table.match("GET /a/") == nil)
            #expect(try table.match("GET /a/b/c") == nil)
        }
    }

    @Test func `segments are compared decoded`() throws {
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

    @Test func `a rule covers its path with and without a slash`() throws {
        #expect(try RouteTable("GET /a").rule("GET /a/") == "GET /a")
        #expect(try RouteTable("GET /a/").rule("GET /a") == "GET /a/")
        #expect(try RouteTable("GET /").rule("GET /") == "GET /")
    }

    @Test func `a rule of its own for the path with the slash takes that path`() throws {
        let table = try RouteTable("GET /a", "GET /a/", "POST /a/")
        #expect(try table.rule("GET /a") == "GET /a")
        #expect(try table.rule("GET /a/") == "GET /a/")
        #expect(try table.rule("POST /a") == "POST /a/")
    }

    @Test func `the form of the path is decided before the method`() throws {
        let table = try RouteTable("ANY /a/", "GET /a")
        #expect(try table.rule("GET /a/") == "ANY /a/")
        #expect(try table.rule("GET /a") == "GET /a")
        #expect(try table.rule("PUT /a") == "ANY /a/")
    }

    @Test func `segments are decided before the slash`() throws {
        let table = try RouteTable("GET /a/{x}/", "GET /a/b")
        #expect(try table.rule("GET /a/b/") == "GET /a/b")
        #expect(try table.rule("GET /a/c") == "GET /a/{x}/")
    }

    // MARK: Methods

    @Test func `an exact method goes before GET for HEAD and that before ANY`() throws {
        let table = try RouteTable("ANY /a", "GET /a", "HEAD /a", "GET /b", "ANY /b", "ANY /c", "HEAD /d")
        #expect(try table.rule("HEAD /a") == "HEAD /a")
        #expect(try table.rule("GET /a") == "GET /a")
        #expect(try table.rule("PUT /a") == "ANY /a")
        #expect(try table.rule("HEAD /b") == "GET /b")
        #expect(try table.rule("HEAD /c") == "ANY /c")
        #expect(try table.rule("GET /d") == nil)
    }

    @Test func `GET stands in for HEAD only where no path is more specific`() throws {
        let table = try RouteTable("HEAD /a/{x}", "GET /a/b")
        #expect(try table.rule("HEAD /a/b") == "GET /a/b")
        #expect(try table.rule("HEAD /a/c") == "HEAD /a/{x}")
    }

    @Test(arguments: ["CONNECT", "TRACE"])
    func `no rule covers CONNECT and TRACE`(method: String) throws {
        #expect(try RouteTable("ANY /**").rule(method + " /a") == nil)
    }

    @Test(arguments: ["get", "PROPFIND", "X", "trace", "connect", "TRACER", "GETT"])
    func `ANY covers every other method, and methods are case-sensitive`(method: String) throws {
        let table = try RouteTable("ANY /a", "GET /b", "PURGE /b")
        #expect(try table.rule(method + " /a") == "ANY /a")
        #expect(try table.rule(method + " /b") == nil)
        #expect(try table.rule("PURGE /b") == "PURGE /b")
    }

    // MARK: Below a place

    @Test func `paths are below the place`() throws {
        let table = try RouteTable("GET /", "GET /{id}", "GET /{id}/items/**")
        #expect(try table.rule("GET /api/orders", below: "/api/orders") == "GET /")
        #expect(try table.rule("GET /api/orders/", below: "/api/orders") == "GET /")
        #expect(try table.rule("GET /api/orders/7", below: "/api/orders") == "GET /{id}")
        #expect(try table.rule("GET /api/orders/7/items", below: "/api/orders") == "GET /{id}/items/**")
        #expect(try table.rule("GET /api", below: "/api/orders") == "GET /")
    }

    @Test func `a parameter's value is the decoded segment`() throws {
        let table = try RouteTable("GET /orgs/{org}/*/{id}", "GET /**")
        let path = try RequestPath("/api/orgs/caf%C3%A9/x/7/")
        let match = try #require(try table.match("GET /api/orgs/caf%C3%A9/x/7/", below: "/api"))
        #expect(match.ruleIndex == 0)
        #expect(table.value(of: "org", in: match, path: path).map { String(decoding: $0, as: UTF8.self) } == "café")
        #expect(table.value(of: "id", in: match, path: path).map { String(decoding: $0, as: UTF8.self) } == "7")
        #expect(table.value(of: "x", in: match, path: path) == nil)
        #expect(match.segmentIndex(ofPosition: 3) == 4)
    }

    @Test func `parameters in the same position may have different names`() throws {
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
    func `two rules that cannot be told apart are a conflict`(routes: [String], first: RuleIndex, second: RuleIndex)
        throws
    {
        let routes = try routes.map { try RoutePattern($0) }
        #expect(throws: RouteConflict(first: first, second: second)) { try RouteTable(routes) }
    }

    @Test func `what can be told apart is no conflict`() throws {
        let table = try RouteTable(
            "GET /a", "HEAD /a", "ANY /a", "GET /a/", "GET /a/**", "GET /a/*", "GET /a/{x}", "GET /A")
        #expect(table.routes.count == 8)
    }

    @Test func `without a method a path falls under the rules for any method alone`() throws {
        let table = try RouteTable(["GET /a/**", "ANY /a/b/**", "ANY /**"].map { try RoutePattern($0) })
        for (path, rule) in [("/a/c", 2), ("/a/b/c", 1), ("/x", 2)] {
            var request = RequestPath()
            try request.canonicalize(Array(path.utf8).span)
            #expect(table.match(path: request, below: 0)?.ruleIndex == RuleIndex(rule))
        }
    }

    @Test func `no rule matches in an empty table`() throws {
        #expect(try RouteTable([]).rule("GET /") == nil)
        #expect(try RouteTable().rule("GET /") == nil)
    }

    @Test(.slow) func `a hundred thousand literal rules are all found`() throws {
        let routes = try (0..<100_000).map { try RoutePattern("GET /tenants/t\($0 % 1000)/things/\($0)") }
        let table = try RouteTable(routes)
        for index in stride(from: 0, to: 100_000, by: 37) {
            #expect(try table.match("GET /tenants/t\(index % 1000)/things/\(index)")?.ruleIndex == RuleIndex(index))
            #expect(try table.match("GET /tenants/t\((index + 1) % 1000)/things/\(index)") == nil)
        }
        #expect(try table.match("GET /tenants/t5/things") == nil)
    }

    @Test func `a lookup that must try every path through the trie ends`() throws {
        // Twelve levels with three ways on each, none of which leads to a rule for the method.
        let routes = try (0..<4096).map { number in
            let path = (0..<12).map { number >> $0 & 1 == 0 ? "/a" : "/{p\($0)}" }.joined()
            return try RoutePattern("POST \(path)")
        }
        let table = try RouteTable(routes)
        #expect(try table.match("GET " + String(repeating: "/a", count: 12)) == nil)
        #expect(try table.match("POST " + String(repeating: "/a", count: 12))?.ruleIndex == 0)
    }
}
