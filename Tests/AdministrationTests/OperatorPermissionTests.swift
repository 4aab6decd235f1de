import HTTPTypes
import Testing

@testable import Administration

/// Authorization of changes, and of requests whose answers name persons.
struct OperatorPermissionTests {
    private static let token = Array("0123456789abcdef".utf8)

    private func status(
        _ fields: [(name: String, value: String)] = [], host: String? = "127.0.0.1:9901",
        authorization: String? = "Bearer 0123456789abcdef", token: [UInt8]? = token
    ) throws -> Int? {
        var head = HTTPRequest(method: .post, scheme: "http", authority: host, path: "/")
        head.headerFields[.authorization] = authorization
        for (name, value) in fields {
            head.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return OperatorPermission(token: token).refusal(of: head)?.status
    }

    @Test func `a request with the admin token to an address or localhost is permitted`() throws {
        #expect(try status() == nil)
        #expect(try status(authorization: "bearer 0123456789abcdef") == nil)
        #expect(try status(host: "localhost") == nil)
        #expect(try status(host: "evil.example") == 421)
        #expect(try status(host: nil) == 421)
        // The host is checked first: a page that has another name learns nothing about the token.
        #expect(try status(host: "evil.example", authorization: nil) == 421)
    }

    @Test(arguments: [
        nil, "", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdeF", "Bearer 0123456789abcdef0",
        "Bearer  0123456789abcdef", "Basic 0123456789abcdef", "0123456789abcdef",
        "Bearer 0123456789abcdef,Bearer 0123456789abcdef",
    ])
    func `a request with another token or none is 401`(authorization: String?) throws {
        #expect(try status(authorization: authorization) == 401)
    }

    @Test func `the admin token twice is 401`() throws {
        #expect(try status([("Authorization", "Bearer 0123456789abcdef")]) == 401)
    }

    @Test func `without an admin token in the file, a request is always 403`() throws {
        #expect(try status(token: nil) == 403)
        #expect(try status(authorization: "Bearer ", token: nil) == 403)
        #expect(try status(authorization: nil, token: nil) == 403)
    }

    @Test(arguments: [
        ("Origin", "https://evil.example"), ("origin", "null"), ("Origin", "http://127.0.0.1:9902"),
        ("Origin", "https://127.0.0.1:9901"), ("Origin", ""), ("Sec-Fetch-Site", "cross-site"),
        ("sec-fetch-site", "same-site"), ("Sec-Fetch-Site", ""), ("Sec-Fetch-Site", "none, cross-site"),
    ])
    func `a request of another site is refused, even with the token`(field: (name: String, value: String)) throws {
        #expect(try status([field]) == 403)
        #expect(try status([("Sec-Fetch-Site", "same-origin"), field]) == 403)
        #expect(try status([("Origin", "http://127.0.0.1:9901"), field]) == 403)
        // Nobody learns whether the token was right.
        #expect(try status([field], authorization: nil) == 403)
    }

    @Test(arguments: [
        ("Origin", "http://127.0.0.1:9901"), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "none"),
        ("Accept", "*/*"), ("X-Forwarded", "no field of a proxy"),
    ])
    func `a request of the listener's own page is permitted`(field: (name: String, value: String)) throws {
        #expect(try status([field]) == nil)
    }

    @Test(arguments: ["Forwarded", "via", "X-Forwarded-For", "x-forwarded-host", "X-Forwarded-Proto", "X-Forwarded-X"])
    func `a request that a proxy forwarded is refused`(name: String) throws {
        #expect(try status([(name, "127.0.0.1")]) == 403)
        #expect(try status([(name, "")]) == 403)
    }
}
