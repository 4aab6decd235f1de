import AccessControl
import HTTPMessages
import TestSupport
import Testing
import TokenVerification

@testable import RequestAuthorization

/// Hints for an operator about requests that are refused before their token is read.
@Suite struct RequestHintTests {
    typealias Fixture = AuthorizerFixture

    private func hint(_ target: String, host: String = "api.example", places: [String]? = nil, method: String = "GET")
        throws -> String?
    {
        let fixture = try Fixture { resource in
            if let places { resource.places = try places.map { try PlacePattern(at: $0) } }
        }
        var request = try Fixture.request("\(method) \(target) HTTP/1.1", host: host)
        guard
            case .reject(let rejection, let facts) = fixture.authorizer.authorize(
                &request, at: NumericDate(seconds: TestToken.now))
        else {
            throw Forwarded()
        }
        #expect([400, 404].contains(rejection.reason.status))
        return facts.hint
    }

    private struct Forwarded: Error {}

    @Test(arguments: [
        ("/shop/a/../b", "a segment `.` or `..`"), ("/shop/%2e/b", "a segment `.` or `..`"),
        ("/shop//b", "two slashes in a row"),
        ("/shop/a%2fb", "`%2F`"), ("/shop/a%5Cb", "`%5C`"), ("/shop/a%2", "without two hexadecimal digits"),
        ("/shop/a%252fb", "decodes twice"), ("/shop/%00", "a control character"), ("/shop/%ff", "no UTF-8"),
        ("/shop/a\\b", "some servers read as `/`"),
        ("/shop/a;b=1", "`path_parameters: keep`"),
    ])
    func `the hint names the rule that an invalid path breaks`(path: String, told: String) throws {
        let hint = try #require(try hint(path))
        #expect(hint.hasPrefix("The path has ") && hint.contains(told), "\(hint)")
    }

    @Test func `every rule for paths has its own hint`() throws {
        let paths = [
            "/shop/a%1f", "/shop/%zz", "/shop/%2f", "/shop/%5c", "/shop/%2541", "/shop/..", "/shop//a", "/shop/%c0",
            "/shop/\\",
        ]
        let hints = try paths.map { try hint($0) }
        #expect(!hints.contains(nil) && Set(hints).count == paths.count, "\(hints)")
    }

    @Test func `an asterisk gets the hint that it is no path`() throws {
        #expect(try hint("*", method: "OPTIONS") == "The path does not begin with `/`.")
        #expect(PathRejection.forbiddenCharacter.hint == nil)
    }

    @Test func `a path known at another host gets a hint with that place`() throws {
        let hint = try hint(
            "/shop/orders/1", host: "shop.example", places: ["api.example:8443/shop", "Intern.example/shop/admin"])
        #expect(hint == "The path is that of `at: api.example:8443/shop`, but the request's host or port is another.")
        let longer = try self.hint(
            "/shop/admin/1", host: "shop.example", places: ["api.example/shop", "Intern.example/shop/admin"])
        #expect(
            longer == "The path is that of `at: intern.example/shop/admin`, but the request's host or port is another.")
    }

    @Test func `a path without the place's prefix gets a hint with the place whose rule it would match`() throws {
        let hint = try hint("/orders/1", places: ["/api"])
        #expect(hint == "A rule below `at: /api` is for such a path, but the path does not begin with that place's.")
        #expect(
            try self.hint("/orders/1", host: "else.example", places: ["api.example/v1/shop"])?.contains(
                "`at: api.example/v1/shop`") == true
        )
    }

    @Test func `a request to an unknown host gets a hint with the place of its path`() throws {
        let hint = try hint("/orders/1", host: "else.example", places: ["api.example"])
        #expect(hint == "The path is that of `at: api.example`, but the request's host or port is another.")
    }

    @Test func `of several places with the same path, the hint names the one with a matching rule`() throws {
        func resource(_ name: String, at places: [String], rules: [String]) throws -> ProtectedResource {
            ProtectedResource(
                identifier: name, places: try places.map { try PlacePattern(at: $0) }, issuers: [],
                routes: try RouteTable(rules.map { try RoutePattern($0) }),
                policies: IndexedBy(rules.map { _ in .public }),
                upstreamRoutes: try RouteTable([try RoutePattern("ANY /**")]), upstreams: [0])
        }
        let authorizer = try RequestAuthorizer(
            resources: [
                resource("one", at: ["m1.example/api"], rules: ["GET /one"]),
                resource("two", at: ["m2.example:8443/api"], rules: ["GET /two"]),
                resource("a", at: ["a.example"], rules: ["GET /alpha"]),
                resource("b", at: ["b.example"], rules: ["GET /beta"]),
                resource("all", at: ["c.example/all"], rules: ["GET /**"]),
                resource("shop", at: ["c.example/shop"], rules: ["GET /orders"]),
                resource("port", at: ["d.example:9443/p"], rules: ["GET /p"]),
            ], issuers: [])
        func hint(_ host: String, _ path: String) throws -> String? {
            var request = try Fixture.request("GET \(path) HTTP/1.1", host: host)
            guard case .reject(_, let facts) = authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
            else {
                throw Forwarded()
            }
            return facts.hint
        }
        #expect(try hint("m2.example", "/api/two")?.contains("is that of `at: m2.example:8443/api`") == true)
        #expect(try hint("x.example", "/api/none")?.contains("is that of `at: m1.example/api`") == true)
        #expect(try hint("x.example", "/beta")?.contains("is that of `at: b.example`") == true)
        #expect(try hint("c.example", "/orders")?.contains("A rule below `at: c.example/shop`") == true)
        #expect(try hint("c.example", "/else") == nil)
        #expect(try hint("d.example:9443", "/q") == nil)
        #expect(try hint("x.example", "/gamma") == "The request's host or port is not that of `at: a.example`.")
    }

    /// Otherwise every scanner's path would match it.
    @Test(arguments: [
        ("/{id}", "/nope", false), ("/*", "/nope", false), ("/{a}/{b}", "/a/b", false), ("/{a}/**", "/a/b/c", false),
        ("/**", "/nothing/like/it", false),
        ("/", "/", false), ("/{id}/items", "/7/items", true), ("/items/{id}", "/items/7", true),
        ("/v1/**", "/v1/x", true),
        ("/items", "/items", true),
    ])
    func `the hint about a missing prefix is given only if a rule names a segment of the path`(
        _ rule: String, _ path: String, _ isTold: Bool
    )
        throws
    {
        let resource = ProtectedResource(
            identifier: "orders", places: [try PlacePattern(at: "/orders")], issuers: [],
            routes: try RouteTable([try RoutePattern("GET " + rule)]), policies: [.public],
            upstreamRoutes: try RouteTable([try RoutePattern("ANY /**")]), upstreams: [0])
        let authorizer = try RequestAuthorizer(resources: [resource], issuers: [])
        var request = try Fixture.request("GET \(path) HTTP/1.1", host: "api.example")
        guard
            case .reject(let rejection, let facts) = authorizer.authorize(
                &request, at: NumericDate(seconds: TestToken.now))
        else {
            throw Forwarded()
        }
        #expect(rejection.reason.status == 404)
        let told = "A rule below `at: /orders` is for such a path, but the path does not begin with that place's."
        #expect(facts.hint == (isTold ? told : nil))
    }
}
