import AccessControl
import ConfigurationFile
import RequestAuthorization
import Testing
import TokenVerification

struct KnownMethodsTests {
    @Test func `a rule for a method of the file's own matches only that method, and preflights name it`() throws {
        let configuration = try ProfiledIssuerTests.load(
            """
            issuers: {a: {issuer: https://id.example, token_type: at+jwt}}
            methods: [PURGE, Ban]
            resources:
              api: {at: /api, issuers: a, audiences: [x], upstream: "http://127.0.0.1:9", rules: {"PURGE,Ban /x": s, GET /x: t}}
            """)
        let routes = try #require(configuration.protectedResources.first).routes
        var path = RequestPath()
        try path.canonicalize(Array("/api/x".utf8).span)
        for (method, rule) in [("PURGE", 0), ("Ban", 0), ("GET", 1), ("BAN", nil), ("purge", nil), ("QUERY", nil)]
            as [(String, Int?)]
        {
            let match = routes.match(method: Array(method.utf8).span, path: path, below: 1)
            #expect(match?.ruleIndex.rawValue == rule, "\(method)")
        }
        #expect(routes.namedMethods(for: path, below: 1) == ["Ban", "GET", "PURGE"])
    }
}
