import ConfigurationFile
import IssuerProfiles
import ProxySettings
import StrictJSON
import Testing
import TokenVerification

@testable import PolicyTrials

struct PolicyTrialTests {
    private struct Refused: Error {
        let problems: [String]
    }

    static let file = """
        listen: 127.0.0.1:8080
        issuers:
          company: {issuer: "https://id.example.com", token_type: at+jwt}
          partner: {issuer: "https://login.partner.example", token_type: any}
        resources:
          https://api.example.com/shop:
            issuers: [company]
            upstream: http://127.0.0.1:9000
            strip_prefix: true
            rules:
              GET /status: {public: true}
              GET /orders/**: {all_of: [read], clients: [app]}
              DELETE /orders/{id}: read write
            forward:
              identity: {subject: X-Auth-Subject, scopes: X-Auth-Scope}
        """

    static func trial(_ tests: String, _ file: String = file) throws -> PolicyTrial {
        let loaded = Configuration.load(
            bytes: Array(file.utf8), directory: "", environment: [:], checkIdentity: TLSIdentityCheck { _, _ in })
        guard case .success(let configuration, _) = loaded else {
            throw Refused(problems: loaded.problems.map { $0.rendered(file: "FILE") })
        }
        let read = PolicyTestsFile.load(
            bytes: Array(tests.utf8), directory: "", for: configuration, samples: ProviderToken.names, environment: [:])
        guard case .success(let stated, _) = read else {
            throw Refused(problems: read.problems.map { $0.rendered(file: "TESTS") })
        }
        return try PolicyTrial(stated, of: configuration, at: NumericDate(seconds: 1_790_000_000))
    }

    private static func problems(_ tests: String, _ file: String = file) -> [String] {
        do {
            _ = try trial(tests, file)
            return []
        } catch {
            return (error as? Refused)?.problems ?? ["\(error)"]
        }
    }

    private static let orders = "request: GET https://api.example.com/shop/orders/7, issuer: company"

    @Test(
        arguments: [
            ("{\(orders), claims: {sub: u1, scope: read, client_id: app}}", nil),
            ("{\(orders), claims: {scope: write, client_id: app}}", "insufficient_scope"),
            ("{\(orders), claims: {scope: read, client_id: other}}", "client_required"),
            ("{\(orders), claims: {scope: read, client_id: app, aud: x}}", "audience_mismatch"),
            ("{\(orders), claims: {scope: read, client_id: app, aud: null}}", "audience_mismatch"),
            ("{\(orders), claims: {iss: \"https://login.partner.example\"}}", "issuer_mismatch"),
            ("{\(orders), claims: {exp: 1789999000, iat: null}}", "expired"),
            ("{\(orders), at: 2026-09-21T14:13:20Z, claims: {scope: read, client_id: app}}", nil),
            ("{\(orders), header: {typ: JWT}}", "typ_mismatch"), ("{\(orders), header: {kid: null}}", "unknown_kid"),
            ("{\(orders), header: {alg: none}}", "alg_not_allowed"),
            ("{request: GET /shop/orders/7, host: api.example.com}", "missing_credentials"),
            ("{request: GET /shop/orders/7, host: api.example.com, headers: {Authorization: Bearer x.y}}", "malformed"),
            ("{request: GET /shop/nothing, host: api.example.com}", "no_rule"),
            ("{request: GET /shop/status, host: other.example}", "no_resource"),
            ("{\(orders), sample: logto/access, claims: {client_id: app}}", nil),
            ("{request: GET https://api.example.com/shop/orders/7, sample: logto/access}", "issuer_mismatch"),
        ] as [(String, String?)])
    func `every request of a policy test is judged with its expected reason`(test: String, reason: String?) throws {
        let expectation = reason.map { "reason: \($0)" } ?? "status: 200"
        let text = "tests:\n  - \(test.dropLast()), expect: {\(expectation)}}\n"
        let results = try Self.trial(text).results
        #expect(results.flatMap(\.mismatches) == [])
        #expect(results.count == 1)
    }

    @Test func `every failed expectation is reported with the deciding step`() throws {
        let result = try #require(
            try Self.trial(
                """
                tests:
                  - name: reads
                    \(Self.orders.replacing(", ", with: "\n    "))
                    claims: {sub: u1, scope: read, client_id: app}
                    expect:
                      {status: 403, reason: insufficient_scope, scope: [read], rule: "DELETE /orders/{id}", issuer: partner}
                  - name: goes on
                    \(Self.orders.replacing(", ", with: "\n    "))
                    claims: {sub: u1, scope: read, client_id: app}
                    expect:
                      path: /x
                      identity: {X-Auth-Subject: u2, X-Auth-Scope: null, x-auth-subject: u1}
                """
            ).results.first)
        #expect(result.mismatches.map(\.key) == ["status", "reason", "scope", "rule", "issuer"])
        #expect(result.mismatches.first == Mismatch(key: "status", expected: "403", seen: "200"))
        #expect(result.decision == "forward: to the upstream")
        #expect(result.name == "reads")
    }

    @Test func `the forwarded path, upstream, rule and identity are compared with the expected ones`() throws {
        let results = try Self.trial(
            """
            tests:
              - {\(Self.orders), claims: {sub: u1, scope: read, client_id: app}, expect: {
                  path: /orders/7, upstream: "http://127.0.0.1:9000", rule: "GET /orders/**", issuer: company,
                  resource: "https://api.example.com/shop", identity: {x-auth-subject: u1, X-Auth-Scope: read, X-Other: null}}}
              - {\(Self.orders), claims: {sub: u1, scope: read, client_id: app}, expect: {
                  path: /x, identity: {X-Auth-Subject: u2, X-Auth-Scope: null}}}
            """
        ).results
        #expect(results.first?.mismatches == [])
        #expect(
            results.last?.mismatches == [
                Mismatch(key: "path", expected: "/x", seen: "/orders/7"),
                Mismatch(key: "identity.X-Auth-Subject", expected: "u2", seen: "u1"),
                Mismatch(key: "identity.X-Auth-Scope", expected: "none", seen: "read"),
            ])
    }

    @Test(
        arguments: [
            ("", nil), ("token_header: X-B, ", nil), ("token_header: authorization, ", nil),
            ("headers: {X-B: x}, ", "multiple_credentials"),
            ("token_header: X-B, headers: {X-A: \"\"}, ", "multiple_credentials"),
        ] as [(String, String?)])
    func `the token of a test is in the first header of a list, or in the one that the test names`(
        keys: String, reason: String?
    ) throws {
        let file = Self.file.replacing(
            "strip_prefix: true", with: "token_header: [X-A, {name: X-B, prefix: \"jwt=\"}, Authorization]")
        let expectation = reason.map { "reason: \($0)" } ?? "status: 200"
        let claims = "claims: {scope: read, client_id: app}"
        let text = "tests:\n  - {\(Self.orders), \(keys)\(claims), expect: {\(expectation)}}\n"
        #expect(try Self.trial(text, file).results.flatMap(\.mismatches) == [])
    }

    @Test(arguments: [
        ("token_header: [X-A, X-B]", "X-C", "`X-A` or `X-B`"), ("token_header: X-A", "authorization", "`X-A`"),
        ("strip_prefix: true", "X-A", "`Authorization`"),
    ])
    func `a header that the test's resource takes no token from is an error that names those it has`(
        key: String, header: String, names: String
    ) {
        let file = Self.file.replacing("strip_prefix: true", with: key)
        let tests = "tests:\n  - {\(Self.orders), token_header: \(header), expect: {status: 401}}\n"
        #expect(
            Self.problems(tests, file) == [
                "TESTS:2:89: error: tests[0].token_header: `https://api.example.com/shop` takes no token from `\(header)`; "
                    + "write \(names), or send the token as one of `headers`"
            ])
        // No resource is there.
        let elsewhere = tests.replacing("api.example.com", with: "elsewhere.example")
        #expect(Self.problems(elsewhere, file) == [])
    }

    @Test(arguments: [
        ("token_header: X A, issuer: company", "`X A` is not a field name (RFC 9110 §5.1)"),
        (
            "token_header: X-A",
            "the test has no token; write `issuer` and `claims`, or leave it out"
        ),
    ])
    func `a header for the token of a test is refused if it is none, or if there is no token`(
        keys: String, message: String
    ) {
        let request = "request: GET https://api.example.com/shop/orders/7"
        let problems = Self.problems("tests:\n  - {\(request), \(keys), expect: {status: 200}}\n")
        #expect(problems == ["TESTS:2:72: error: tests[0].token_header: \(message)"])
    }

    // MARK: The file

    @Test(
        arguments: [
            ("tests: []", "TESTS:1:8: error: tests: the list is empty; name at least one test"),
            ("test: []", "TESTS:1:1: error: test: unknown key; did you mean `tests`?"),
            (
                "tests: [{request: GET, expect: {status: 200}}]",
                "TESTS:1:19: error: tests[0].request: `GET` is not a method and a URL, or a path that begins with a slash; "
                    + "write `GET /orders`, with one space between"
            ),
            (
                "tests: [{request: GET /, expect: {}}]",
                "TESTS:1:34: error: tests[0].expect: expects nothing; write at least a status: {status: 200}"
            ),
            (
                "tests: [{request: GET /, clams: {}, expect: {status: 200}}]",
                "TESTS:1:26: error: tests[0].clams: unknown key; did you mean `claims`?"
            ),
            (
                "tests: [{request: GET /, issuer: compony, expect: {status: 200}}]",
                "TESTS:1:34: error: tests[0].issuer: there is no issuer `compony`; did you mean `company`?"
            ),
            (
                "tests: [{request: GET /, claims: {sub: u}, expect: {status: 200}}]",
                "TESTS:1:26: error: tests[0].claims: the token's issuer is missing; write `issuer:` with one of company, partner"
            ),
            (
                "tests: [{request: GET /, expect: {status: 401, reason: insufficient_scope}}]",
                "TESTS:1:43: error: tests[0].expect.status: a request that is refused for `insufficient_scope` is answered 403; "
                    + "keep one of the two"
            ),
            (
                "tests: [{request: GET /, sample: logto/acces, expect: {status: 200}}]",
                "TESTS:1:34: error: tests[0].sample: there is no sample `logto/acces`; did you mean `logto/access`?"
            ),
            (
                "tests: [{request: GET /, at: noon, expect: {status: 200}}]",
                "TESTS:1:30: error: tests[0].at: `noon` is not a time; write 2026-11-22T10:00:00Z, or seconds since 1970"
            ),
        ])
    func `a mistake in a test file is reported with its location`(text: String, problem: String) {
        #expect(Self.problems(text).contains(problem), "\(Self.problems(text))")
    }

    // MARK: Coverage and mutants

    private static let complete = """
        tests:
          - {request: GET https://api.example.com/shop/status, expect: {status: 200}}
          - {request: PUT https://api.example.com/shop/status, expect: {reason: no_rule}}
          - {\(orders), claims: {scope: read, client_id: app}, expect: {status: 200}}
          - {request: GET https://api.example.com/shop/orders/7, expect: {status: 401, scope: [read]}}
          - {request: PUT https://api.example.com/shop/orders/7, expect: {reason: no_rule}}
          - {\(orders), claims: {scope: other, client_id: app}, expect: {reason: insufficient_scope}}
          - {\(orders), claims: {scope: read, client_id: other}, expect: {reason: client_required}}
          - {\(orders), claims: {scope: read, client_id: app, aud: other}, expect: {reason: audience_mismatch}}
          - {\(orders), claims: {scope: read, client_id: app, iss: other}, expect: {reason: issuer_mismatch}}
          - {request: GET https://api.example.com/shop/orders/7, issuer: partner, expect: {reason: issuer_mismatch},
             claims: {scope: read, client_id: app}}
          - {request: DELETE https://api.example.com/shop/orders/7, issuer: company, claims: {scope: read write}, expect: {status: 200}}
          - {request: DELETE https://api.example.com/shop/orders/7, issuer: company, claims: {scope: read}, expect: {status: 403}}
          - {request: DELETE https://api.example.com/shop/orders/7, issuer: company, claims: {scope: write}, expect: {status: 403}}
          - {request: DELETE https://api.example.com/shop/orders/7, expect: {status: 401}}
        """

    @Test func `a rule in maintenance is covered by one request that it refuses, and a test must notice its end`()
        throws
    {
        let file = Self.file.replacing(
            "GET /orders/**: {all_of: [read], clients: [app]}",
            with: "GET /orders/**: {all_of: [read], clients: [app], maintenance: {until: 2099-12-24}}")
        let rest = """
            tests:
              - {request: GET https://api.example.com/shop/status, expect: {status: 200}}
              - {request: DELETE https://api.example.com/shop/orders/7, issuer: company, claims: {scope: read write}, expect: {status: 200}}
            """
        func missing(_ tests: String) throws -> (coverage: [String], survivors: [String]) {
            let trial = try Self.trial(tests, file)
            #expect(trial.results.allSatisfy { $0.isFine })
            return (
                trial.coverage().missing.map(\.text).filter { $0.hasPrefix("GET /orders") },
                trial.mutate().survivors.map(\.text).filter { $0.hasPrefix("GET /orders") }
            )
        }
        let without = try missing(rest)
        #expect(without.coverage == ["GET /orders/**: no test has a request refused for maintenance"])
        #expect(
            without.survivors == [
                "GET /orders/**: for ANY method", "GET /orders/**: deleted", "GET /orders/**: without maintenance",
            ])
        let with = try missing(
            rest + """

                  - {\(Self.orders), claims: {scope: read, client_id: app}, expect: {status: 503, reason: maintenance, rule: "GET /orders/**"}}
                  - {request: PUT https://api.example.com/shop/orders/7, expect: {reason: no_rule}}
                """)
        #expect(with.coverage == [] && with.survivors == [])
        // Requests of the time after it are judged as ever.
        let after =
            "tests:\n  - {\(Self.orders), at: 2099-12-24, claims: {scope: write, client_id: app}, expect: {reason: insufficient_scope}}\n"
        #expect(
            try Self.trial(after.replacing("2099-12-24", with: "2099-12-24T00:00:00Z"), file).results.allSatisfy {
                $0.isFine
            })
    }

    @Test func `a resource in maintenance is covered by one refused request of any rule`() throws {
        let file = Self.file.replacing("    strip_prefix: true", with: "    strip_prefix: true\n    maintenance: {}")
        let tests = """
            tests:
              - {\(Self.orders), claims: {scope: read, client_id: app}, expect: {reason: maintenance, rule: "GET /orders/**"}}
              - {request: GET https://api.example.com/shop/status, expect: {reason: maintenance, rule: "GET /status"}}
              - {request: PUT https://api.example.com/shop/status, expect: {reason: maintenance}}
              - {request: DELETE https://api.example.com/shop/orders/7, expect: {reason: maintenance, rule: "DELETE /orders/{id}"}}
            """
        let trial = try Self.trial(tests, file)
        #expect(trial.results.allSatisfy { $0.isFine })
        #expect(trial.coverage().total == 1 && trial.coverage().missing.isEmpty)
        let mutations = trial.mutate()
        #expect(!mutations.survivors.map(\.text).contains("https://api.example.com/shop: without maintenance"))
        let none = try Self.trial("tests:\n  - {request: GET https://other.example, expect: {status: 404}}\n", file)
        #expect(
            none.coverage().missing.map(\.text) == [
                "https://api.example.com/shop: no test has a request refused for maintenance"
            ])
        #expect(none.mutate().survivors.map(\.text).contains("https://api.example.com/shop: without maintenance"))
    }

    @Test func `a test must notice that Authorization is no longer passed, and one is proposed`() throws {
        let file = Self.file.replacing("strip_prefix: true", with: "token_header: X-T")
            .replacing("    forward:", with: "    forward:\n      authorization: pass")
        let mutant = "https://api.example.com/shop: without `authorization: pass`"
        let rest = "tests:\n  - {\(Self.orders), claims: {scope: read, client_id: app}, expect: {status: 200}}\n"
        #expect(try Self.trial(rest, file).mutate().survivors.map(\.text).contains(mutant))
        let noticed =
            rest + "  - {\(Self.orders), token_header: Authorization, expect: {reason: multiple_credentials}}\n"
        #expect(try !Self.trial(noticed, file).mutate().survivors.map(\.text).contains(mutant))
        let proposed = try Self.trial(rest, file).proposals()
        #expect(proposed.unresolved.map(\.text) == [])
        #expect(proposed.text.contains(mutant))
        let whole = try Self.trial(rest + proposed.text.replacing("tests:\n", with: ""), file)
        #expect(whole.results.flatMap(\.mismatches) == [])
        #expect(whole.mutate().survivors.map(\.text) == [])
    }

    @Test func `tests of every rule and alternative reach full coverage, and notice every mutant`() throws {
        let trial = try Self.trial(Self.complete)
        #expect(trial.results.flatMap(\.mismatches) == [])
        #expect(trial.coverage().missing.map(\.text) == [])
        let mutations = trial.mutate()
        #expect(mutations.survivors.map(\.text) == [])
        #expect(mutations.count >= 18)
    }

    /// Each test has a purpose: without it, something is not covered or a mutant is not noticed.
    @Test(arguments: [
        ("scope: other, client_id: app", "GET /orders/**: with any scope"),
        ("client_id: other", "GET /orders/**: without clients"),
        ("aud: other", "https://api.example.com/shop: with any audience in tokens of company"),
        ("iss: other", "company: with any iss"),
        (
            "DELETE https://api.example.com/shop/orders/7, issuer: company, claims: {scope: read}",
            "DELETE /orders/{id}: without scope write"
        ),
        (
            "DELETE https://api.example.com/shop/orders/7, issuer: company, claims: {scope: write}",
            "DELETE /orders/{id}: without scope read"
        ),
        ("PUT https://api.example.com/shop/orders/7", "GET /orders/**: for ANY method"),
    ])
    func `a mutant survives without the test that notices it`(part: String, mutant: String) throws {
        let lines = Self.complete.split(separator: "\n")
        let kept = lines.filter { !$0.contains(part) }
        #expect(kept.count == lines.count - 1)
        let mutations = try Self.trial(kept.joined(separator: "\n")).mutate()
        #expect(mutations.survivors.map(\.text).contains(mutant), "\(mutations.survivors.map(\.text))")
    }

    @Test func `uncovered rules are reported with their location in the file`() throws {
        let coverage = try Self.trial(
            "tests: [{request: GET https://api.example.com/shop/orders/7, expect: {status: 401}}]"
        ).coverage()
        #expect(
            Set(coverage.missing.map(\.text)) == [
                "GET /status: no test has a permitted request", "GET /orders/**: no test has a permitted request",
                "DELETE /orders/{id}: no test has a permitted request",
                "DELETE /orders/{id}: no test has a refused request",
                "GET /orders/**: without scope read: no test has a request refused only for this",
                "GET /orders/**: without clients: no test has a request refused only for this",
                "DELETE /orders/{id}: without scope read write: no test has a request refused only for this",
                "DELETE /orders/{id}: without scope read: no test has a request refused only for this",
                "DELETE /orders/{id}: without scope write: no test has a request refused only for this",
            ])
        #expect(coverage.covered == 1)
        #expect(coverage.missing.first?.place.position == Position(line: 11, column: 7))
    }
}
