import AccessControl
import HTTPMessages
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// What an operator is told about requests that are refused before their token is looked at.
@Suite struct RequestHintTests {
    typealias Fixture = AuthorizerFixture

    private func hint(_ target: String, host: String = "api.example", places: [String]? = nil, method: String = "GET") throws -> String? {
        let fixture = try Fixture { resource in
            if let places { resource.places = try places.map { try PlacePattern(at: $0) } }
        }
        var request = try Fixture.request("\(method) \(target) HTTP/1.1", host: host)
        guard case .reject(let rejection, let facts) = fixture.authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
        else {
            throw Forwarded()
        }
        #expect([400, 404].contains(rejection.reason.status))
        return facts.hint
    }

    private struct Forwarded: Error {}

    @Test(arguments: [
        ("/shop/a/../b", "a segment `.` or `..`"), ("/shop/%2e/b", "a segment `.` or `..`"), ("/shop//b", "two slashes in a row"),
        ("/shop/a%2fb", "`%2F`"), ("/shop/a%5Cb", "`%5C`"), ("/shop/a%2", "without two hexadecimal digits"),
        ("/shop/a%252fb", "decodes twice"), ("/shop/%00", "a control character"), ("/shop/%ff", "does not decode to UTF-8"),
        ("/shop/a;b=1", "`path_parameters: keep`"), ("/nowhere;a", "`path_parameters: keep`"),
    ])
    func `the hint says which rule of the one form a path breaks`(path: String, told: String) throws {
        let hint = try #require(try hint(path))
        #expect(hint.hasPrefix("The path has ") && hint.contains(told), "\(hint)")
    }

    @Test func `every rule of the one form has a hint of its own`() throws {
        let paths = [
            "/shop/a%1f", "/shop/%zz", "/shop/%2f", "/shop/%5c", "/shop/%2541", "/shop/..", "/shop//a", "/shop/%c0",
        ]
        let hints = try paths.map { try hint($0) }
        #expect(!hints.contains(nil) && Set(hints).count == paths.count, "\(hints)")
    }

    @Test func `a path that is another host's says whose`() throws {
        let hint = try hint("/shop/orders/1", host: "shop.example", places: ["api.example:8443/shop", "Intern.example/shop/admin"])
        #expect(hint == "The path is that of `at: api.example:8443/shop`, but the request's host or port is another.")
        let longer = try self.hint("/shop/admin/1", host: "shop.example", places: ["api.example/shop", "Intern.example/shop/admin"])
        #expect(longer == "The path is that of `at: intern.example/shop/admin`, but the request's host or port is another.")
    }

    @Test func `a path that lacks the place's says whose rule it would match`() throws {
        let hint = try hint("/orders/1", places: ["/api"])
        #expect(hint == "A rule below `at: /api` is for such a path, but the path does not begin with that place's.")
        #expect(
            try self.hint("/orders/1", host: "else.example", places: ["api.example/v1/shop"])?.contains("`at: api.example/v1/shop`") == true
        )
    }

    @Test func `a host of which nothing is known says whose it is not`() throws {
        let hint = try hint("/orders/1", host: "else.example", places: ["api.example"])
        #expect(hint == "The path is that of `at: api.example`, but the request's host or port is another.")
    }

    @Test func `a rule for everything below a place is for any path`() throws {
        #expect(
            try hint("/nothing/like/it", places: ["/api"])
                == "A rule below `at: /other` is for such a path, but the path does not begin with that place's.")
    }
}
