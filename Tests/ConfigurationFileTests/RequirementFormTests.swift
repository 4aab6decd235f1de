import AccessControl
import ConfigurationFile
import RequestAuthorization
import Testing
import TokenVerification

/// Requirements parsed from the forms that a file may use.
struct RequirementFormTests {
    private func policies(_ rules: String, _ more: String = "", policies: String = "{}") throws -> [AccessPolicy] {
        let text = """
            issuers: {a: {issuer: https://id.example, token_type: at+jwt}}
            policies: \(policies)
            resources:
              api: {at: /api, issuers: a, audiences: [x], upstream: "http://127.0.0.1:9", \(more) rules: {\(rules)}}
            """
        return try Array(#require(try ProfiledIssuerTests.load(text).protectedResources.first).policies)
    }

    private func policy(_ requirement: String, _ more: String = "") throws -> AccessPolicy {
        try #require(try policies("\"GET /{org}\": \(requirement)", more).first)
    }

    @Test func `alternatives are scopes only, or scopes and requirements in file order`() throws {
        #expect(try policy("{any_of: [a, b]}") == .token([.anyScope(["a", "b"])]))
        #expect(try policy("{any_of: [a, {all_of: [b]}]}") == .token([.anyScope(["a", "b"])]))
        let mixed = try policy(
            "{any_of: [a, {max_age: 5m, roles: [r, s], organization: \"{org}\"}, {any_of: [b, {clients: [c]}]}]}")
        #expect(
            mixed
                == .token([
                    .anyOf([
                        [.allScopes(["a"])],
                        [.organization(inPath: "org"), .anyRole(["r", "s"]), .maxAge(.seconds(300))],
                        [.anyOf([[.allScopes(["b"])], [.client(oneOf: ["c"])]])],
                    ])
                ]))
    }

    @Test func `claim requirements accept values and patterns`() throws {
        let asked = try policy("{claims: {a: {glob: \"x/*\"}, b: [y, 7, {glob: [\"z/**\", \"\\\\*\\\\\\\\\"]}], c: w}}")
        let patterns = [try ClaimPattern("z/**"), try ClaimPattern("\\*\\\\")]
        #expect(
            asked
                == .token([
                    .claimMatching(ClaimPath(member: "a"), ClaimChoice(patterns: [try ClaimPattern("x/*")])),
                    .claimMatching(
                        ClaimPath(member: "b"), ClaimChoice(values: [.string("y"), .integer(7)], patterns: patterns)),
                    .claim(ClaimPath(member: "c"), oneOf: [.string("w")]),
                ]))
    }

    @Test func `a text: value is compared literally`() throws {
        #expect(try policy("{text: \"orders:* public\"}") == .token([.allScopes(["orders:*", "public"])]))
        #expect(try policy("{all_of: [a, {text: \"b:*\"}]}") == .token([.allScopes(["a", "b:*"])]))
        #expect(try policy("{any_of: [a, {text: \"b:*\"}]}") == .token([.anyScope(["a", "b:*"])]))
        let names = try policy(
            "{roles: [r, {text: [\"s*\", t]}], clients: {text: \"c*\"}, organization: {text: \"{org}\"}, acr: [{text: \"u*\"}]}"
        )
        #expect(
            names
                == .requiring([
                    .client(oneOf: ["c*"]), .anyRole(["r", "s*", "t"]), .organization(oneOf: ["{org}"]),
                    .authenticationContext(oneOf: ["u*"]),
                ]))
        let claims = try policy(
            "{claims: {a: {text: [\"*\", 7]}, b: [{glob: \"x*\", text: \"y*\"}, 7]}, not: {claims: {c: {text: \"z*\"}}}}"
        )
        #expect(
            claims
                == .token([
                    .claim(ClaimPath(member: "a"), oneOf: [.string("*"), .string("7")]),
                    .claimMatching(
                        ClaimPath(member: "b"),
                        ClaimChoice(values: [.string("y*"), .integer(7)], patterns: [try ClaimPattern("x*")])),
                    .claimOtherThan(ClaimPath(member: "c"), ClaimChoice(values: [.string("z*")])),
                ]))
    }

    @Test func `claims under not and absent are required separately`() throws {
        let asked = try policy(
            "{all_of: [s], not: {claims: {t: [guest, {glob: \"temp/*\"}], l: 3}}, absent: [act, /x/y], issuer: a}")
        #expect(
            asked
                == .token([
                    .issuer(oneOf: ["a"]), .allScopes(["s"]),
                    .claimOtherThan(
                        ClaimPath(member: "t"),
                        ClaimChoice(values: [.string("guest")], patterns: [try ClaimPattern("temp/*")])),
                    .claimOtherThan(ClaimPath(member: "l"), ClaimChoice(values: [.integer(3)])),
                    .noClaims([ClaimPath(member: "act"), try ClaimPath("/x/y")]),
                ]))
    }

    @Test func `an issuer's requirements are checked with its tokens, or added to every rule for them`() throws {
        let text = """
            issuers:
              a: {issuer: https://id.example, token_type: at+jwt, require: {claims: {r: {glob: "x/*"}, e: p}, not: {claims: {t: guest}}, absent: [act], roles: r, max_age: 5m}}
              b: {issuer: https://b.example, token_type: at+jwt}
            resources:
              one: {at: /one, issuers: a, audiences: [x], upstream: "http://127.0.0.1:9", rules: {GET /: s, PUT /: {optional: authenticated}}}
              both: {at: /both, issuers: [a, b], audiences: [x], upstream: "http://127.0.0.1:9", rules: {GET /: s}}
              other: {at: /other, issuers: b, audiences: [x], upstream: "http://127.0.0.1:9", rules: {GET /: {public: true}}}
            """
        let configuration = try ProfiledIssuerTests.load(text)
        let required: [Requirement] = [.anyRole(["r"]), .maxAge(.seconds(300))]
        #expect(
            configuration.protectedResources.map { Array($0.policies) } == [
                [.token([.allScopes(["s"])] + required), .optionalToken(required)],
                [.token([.allScopes(["s"]), .anyOf([required, [.issuer(oneOf: ["b"])]])])], [.public],
            ])
        #expect(
            try #require(configuration.issuers.first).trusted.claimChecks == [
                IssuerCheck(
                    .claim(ClaimPath(member: "r"), .held(ClaimChoice(patterns: [try ClaimPattern("x/*")]))),
                    else: .claimNotAllowed),
                IssuerCheck(.oneOf(ClaimPath(member: "e"), [.string("p")]), else: .claimNotAllowed),
                IssuerCheck(
                    .claim(ClaimPath(member: "t"), .excluded(ClaimChoice(values: [.string("guest")]))),
                    else: .claimNotAllowed),
                IssuerCheck(.claim(ClaimPath(member: "act"), .missing), else: .claimNotAllowed),
            ])
    }

    @Test func `a rule with optional accepts requests without a token`() throws {
        #expect(try policy("{optional: authenticated}") == .optionalToken([]))
        #expect(try policy("{optional: a b}") == .optionalToken([.allScopes(["a", "b"])]))
        #expect(
            try policies("GET /: {policy: p}", policies: "{p: {optional: {roles: r}}}") == [
                .optionalToken([.anyRole(["r"])])
            ])
        #expect(
            try policies("GET /: {optional: {policy: p}}", policies: "{p: {roles: r}}") == [
                .optionalToken([.anyRole(["r"])])
            ])
    }

    @Test func `requirements of a resource are added to every rule, and cannot be replaced`() throws {
        let found = try policies(
            "GET /a: {claims: {env: test}}, GET /b: authenticated, GET /c: {optional: s}, GET /d: {policy: p}",
            "require: {claims: {env: production}},", policies: "{p: {roles: r}}")
        let production = Requirement.claim(ClaimPath(member: "env"), oneOf: [.string("production")])
        #expect(
            found == [
                .token([production, .claim(ClaimPath(member: "env"), oneOf: [.string("test")])]), .token([production]),
                .optionalToken([.allScopes(["s"]), production]), .token([.anyRole(["r"]), production]),
            ])
    }

    @Test func `scopes that imply others satisfy requirements for those`() throws {
        let found = try policies(
            "GET /a: read, GET /b: write, GET /c: {optional: {any_of: [read, {roles: r}]}}",
            "require: read, scopes: {write: {implies: read}, admin: {implies: [write]}},")
        let read = Requirement.scope("read", orAnyOf: ["write", "admin"])
        #expect(
            found == [
                .token([read, read]), .token([read, .scope("write", orAnyOf: ["admin"])]),
                .optionalToken([read, .anyOf([[read], [.anyRole(["r"])]])]),
            ])
    }
}
