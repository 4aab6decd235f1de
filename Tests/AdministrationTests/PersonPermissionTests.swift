import Testing

@testable import Administration

/// Authorization of requests whose answers name persons.
struct PersonPermissionTests {
    private static let token = Array("0123456789abcdef".utf8)

    private func status(
        _ fields: [(name: String, value: String)] = [], host: String? = "127.0.0.1:9901",
        authorization: String? = "Bearer 0123456789abcdef", token: [UInt8]? = token
    ) -> Int? {
        PersonPermission(permission: ChangePermission(token: token)).refusal(
            host: host, authorization: authorization, fields: fields)?.status
    }

    @Test func `the token is needed as for changes`() {
        #expect(status() == nil)
        #expect(status(authorization: nil) == 401)
        #expect(status(authorization: "Bearer 0123456789abcdeF") == 401)
        #expect(status(token: nil) == 403)
        #expect(status(host: "evil.example") == 421)
    }

    @Test(arguments: [
        ("origin", "https://evil.example"), ("origin", "null"), ("origin", "http://127.0.0.1:9902"),
        ("origin", "https://127.0.0.1:9901"), ("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", ""), ("sec-fetch-site", "none, cross-site"),
    ])
    func `a request of another site is refused, even with the token`(field: (name: String, value: String)) {
        #expect(status([field]) == 403)
        #expect(status([("sec-fetch-site", "same-origin"), field]) == 403)
        // Nobody learns whether the token was right.
        #expect(status([field], authorization: nil) == 403)
    }

    @Test(arguments: [
        ("origin", "http://127.0.0.1:9901"), ("sec-fetch-site", "same-origin"), ("sec-fetch-site", "none"),
        ("accept", "*/*"), ("x-forwarded", "no field of a proxy"),
    ])
    func `a request of the listener's own page is permitted`(field: (name: String, value: String)) {
        #expect(status([field]) == nil)
    }

    @Test(arguments: ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-x"])
    func `a request that a proxy forwarded is refused`(name: String) {
        #expect(status([(name, "127.0.0.1")]) == 403)
        #expect(status([(name, "")]) == 403)
    }
}
