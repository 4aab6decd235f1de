import ConfigurationFile
import PolicyTrials
import ProxySettings
import TestSupport
import Testing

struct PolicyComparisonTests {
    private struct Refused: Error {
        let problems: [String]
    }

    static func configuration(_ text: String) throws -> Configuration {
        let result = Configuration.load(
            bytes: Array(text.utf8), directory: "", environment: [:], checkIdentity: TLSIdentityCheck { _, _ in })
        guard case .success(let configuration, _) = result else {
            throw Refused(problems: result.problems.map { $0.rendered(file: "FILE") })
        }
        return configuration
    }

    /// A file with one resource.
    static func file(
        _ rules: String, issuer: String = "", resource: String = "", upstream: String = "http://127.0.0.1:9000"
    ) -> String {
        """
        listen: 127.0.0.1:8080
        issuers:
          company: {issuer: "https://id.example.com", token_type: at+jwt\(issuer)}
          partner: {issuer: "https://partner.example", token_type: any}
        resources:
          https://api.example.com/shop:
            issuers: [company]
            upstream: \(upstream)
            rules: {\(rules)}
        \(resource)
        """
    }

    /// Each difference in a line: the kind, the request, and the claims beyond those that every token needs.
    private static func told(_ old: String, _ new: String) throws -> [String] {
        let comparison = try PolicyComparison(try configuration(old), try configuration(new))
        #expect(comparison.undecided.isEmpty && comparison.contradictions.isEmpty)
        return comparison.differences.map { difference in
            let changes = difference.changes.map { " \($0.aspect.name): \($0.old ?? "none") -> \($0.new ?? "none")" }
            return "\(difference.kind.rawValue) \(difference.witness.method) \(difference.witness.url)"
                + changes.joined(separator: ",")
        }
    }

    private static let host = "https://api.example.com/shop"

    @Test func `a file does not differ from itself, whatever the order of its rules`() throws {
        let old = Self.file("GET /a: read, \"POST /a/{id}\": {any_of: [write, {roles: [admin]}]}")
        let new = Self.file("\"POST /a/{id}\": {any_of: [write, {roles: [admin]}]}, GET /a: read")
        #expect(try Self.told(old, old).isEmpty)
        #expect(try Self.told(old, new).isEmpty)
    }

    @Test func `a difference whose token cannot be built is reported as undecided, not as a contradiction`() throws {
        // A member whose name is the whole path prevents the path from being absent.
        let rules = "GET /a: {absent: [act.sub], claims: {/act.sub: x}}"
        let old = try Self.configuration(Self.file(rules))
        let new = try Self.configuration(Self.file(rules, upstream: "http://127.0.0.1:9001"))
        let comparison = try PolicyComparison(old, new)
        #expect(
            comparison.undecided == [
                "GET \(Self.host)/a: no token was found that shows the difference between its rules"
            ])
        #expect(comparison.contradictions.isEmpty)
        #expect(comparison.differences.isEmpty)
    }

    @Test func `scopes that both separators permit, and read differently, are a difference of the identity`() throws {
        let identity = "    forward: {identity: {scopes: X-Scopes}}"
        func told(_ old: String, _ new: String) throws -> [String] {
            try Self.told(
                Self.file("GET /a: read", issuer: old, resource: identity),
                Self.file("GET /a: read", issuer: new, resource: identity)
            ).filter { $0.contains("goes_elsewhere") }
        }
        let separators = ["", ", scope_separator: \",\"", ", scope_separator: \"|\""]
        for old in separators {
            for new in separators where new != old {
                let told = try told(old, new)
                #expect(told.count == 1 && told[0].contains("identity.x-scopes: "), "\(old) \(new) \(told)")
            }
        }
    }

    @Test func `a token beyond a limit is no contradiction`() throws {
        let scopes = (0..<50).map { String(repeating: "x", count: 800) + "-\($0)" }.joined(separator: ", ")
        let old = try Self.configuration(Self.file("GET /a: {all_of: [\(scopes)]}"))
        let new = try Self.configuration(Self.file("GET /a: {all_of: [\(scopes), more]}"))
        let comparison = try PolicyComparison(old, new)
        #expect(comparison.contradictions.isEmpty)
        #expect(!comparison.undecided.isEmpty)
    }

    @Test func `claims of array elements that no array can have are no open question`() throws {
        func file(_ values: String) -> String {
            Self.file("GET /a: {optional: {not: {claims: {/list/*/dept: \(values)}}}}")
        }
        // Nothing that the one refuses is permitted by the other: `told` expects no request to be undecided.
        #expect(try Self.told(file("[k, l]"), file("k")) == ["now_allowed GET \(Self.host)/a"])
        #expect(try Self.told(file("k"), file("[k, l]")) == ["now_refused GET \(Self.host)/a"])
    }

    private static func resource(mode: String) -> String {
        "    mode: \(mode)\n    forward: {identity: {subject: X-Subject}}"
    }

    @Test func `a rule that changes to observe mode allows what it refused, and the reverse refuses it`() throws {
        let observed = "{observe: {until: 2099-01-01}}"
        let enforced = Self.file("GET /a: {all_of: [read]}")
        let ruleObserved = Self.file("GET /a: {all_of: [read], mode: \(observed)}")
        #expect(try Self.told(enforced, ruleObserved) == ["now_allowed GET \(Self.host)/a"])
        #expect(try Self.told(ruleObserved, enforced) == ["now_refused GET \(Self.host)/a"])
        #expect(try Self.told(ruleObserved, ruleObserved).isEmpty)
        // Also for requests without a rule.
        let resourceObserved = Self.file("GET /a: {all_of: [read]}", resource: "    mode: \(observed)")
        let kinds = Set(try Self.told(enforced, resourceObserved).map { $0.prefix(11) })
        #expect(kinds == ["now_allowed"])
        #expect(try Self.told(enforced, resourceObserved).count > 1)
        let enforcedAlone = Self.file("GET /a: {all_of: [read], mode: enforce}", resource: "    mode: \(observed)")
        #expect(try Self.told(enforcedAlone, enforced).allSatisfy { $0.hasPrefix("now_refused") })
    }

    @Test func `maintenance of one file refuses what the other forwards, and lifting it allows it again`() throws {
        let served = Self.file("GET /a: {all_of: [read]}, GET /b: {public: true}")
        for maintenance in ["{}", "{until: 2099-01-01}"] {
            let rule = Self.file("GET /a: {all_of: [read], maintenance: \(maintenance)}, GET /b: {public: true}")
            #expect(try Self.told(served, rule) == ["now_refused GET \(Self.host)/a"])
            #expect(try Self.told(rule, served) == ["now_allowed GET \(Self.host)/a"])
            #expect(try Self.told(rule, rule).isEmpty)
            let resource = Self.file(
                "GET /a: {all_of: [read]}, GET /b: {public: true}", resource: "    maintenance: \(maintenance)")
            #expect(
                try Self.told(served, resource).sorted() == [
                    "now_refused GET \(Self.host)/a", "now_refused GET \(Self.host)/b",
                ])
            #expect(try Self.told(rule, resource) == ["now_refused GET \(Self.host)/b"])
        }
        // It is over at the time of the comparison.
        let over = Self.file(
            "GET /a: {all_of: [read]}, GET /b: {public: true}", resource: "    maintenance: {until: 2026-01-01}")
        #expect(try Self.told(served, over).isEmpty && Self.told(over, served).isEmpty)
        // Refused by both, for different reasons.
        let scarce = Self.file("GET /a: {all_of: [write], maintenance: {}}, GET /b: {public: true}")
        #expect(
            try Self.told(Self.file("GET /a: {all_of: [read], maintenance: {}}, GET /b: {public: true}"), scarce)
                .isEmpty)
    }

    /// Tries each method, because the meaning of a path with a decoded slash depends on the rules of the method.
    @Test func `a path with an encoded slash is tried with every method`() throws {
        let rules = "\"ANY /{id}\": authenticated, \"POST /{id}/b\": authenticated"
        let told = try Self.told(Self.file(rules, resource: "    encoded_slashes: keep"), Self.file(rules))
        #expect(told == ["now_refused POST \(Self.host)/y%2Fb"])
    }

    @Test(
        arguments: [
            ("GET /v*", "vy"), ("GET /{id}:x", "y:x"), ("GET /Items({id})", "Items(y)"), ("GET /a/*.css", "a/z.css"),
            ("GET /**/healthz", "healthz"), ("GET /a/**/b/c", "a/b/c"), ("GET /**/*.css", "y.css"),
            ("GET /y*", "yy"), ("GET /**/y", "y"),
        ])
    func `a rule for a part of a segment or for segments behind a double star has a request of its own`(
        rule: String, path: String
    ) throws {
        let old = Self.file("GET /**: read")
        let new = Self.file("GET /**: read, \"\(rule)\": write")
        let told = ["now_allowed GET \(Self.host)/\(path)", "now_refused GET \(Self.host)/\(path)"]
        #expect(try Self.told(old, new) == told)
        #expect(try Self.told(new, new).isEmpty)
    }

    @Test func `a path that rules of both files match by different parts is tried`() throws {
        let old = Self.file("\"GET /ab*\": read")
        let told = try Self.told(old, Self.file("\"GET /*bc\": read"))
        #expect(told.contains("now_refused GET \(Self.host)/aby"))
        #expect(told.contains("now_allowed GET \(Self.host)/ybc"))
        // Text that both match is answered alike, so only another requirement makes a difference.
        let other = try Self.told(old, Self.file("\"GET /*bc\": write"))
        #expect(other.contains("now_allowed GET \(Self.host)/abybc"), "\(other)")
        let tails = try Self.told(
            Self.file("\"GET /**/{x}/b\": read"), Self.file("\"GET /**/a/{y}\": write"))
        #expect(tails.contains("now_allowed GET \(Self.host)/a/b"), "\(tails)")
    }

    @Test func `too many beginnings and ends of segments are reported as undecided`() throws {
        let rules = (10..<90).map { "\"GET /v\($0)*\": read, \"GET /*-\($0)\": read" }.joined(separator: ", ")
        let file = try Self.configuration(Self.file(rules))
        #expect(try PolicyComparison(file, file).undecided == ["the rules name too many paths"])
    }

    @Test func `a path that decodes into another place does not represent its own`() throws {
        let other = """
                mode: {observe: {until: 2099-01-01}}
                encoded_slashes: keep
              https://api.example.com/shop/a:
                issuers: [company]
                upstream: http://127.0.0.1:9000
                rules: {GET /c: read}
            """
        let told = try Self.told(
            Self.file("\"GET /{id}/b\": read", resource: other),
            Self.file("\"GET /{id}/b\": read, \"POST /{id}\": read", resource: other))
        #expect(told.contains("now_refused POST \(Self.host)/y%2Fb"), "\(told)")
    }

    @Test func `captured names in a path are written in the form of that path`() throws {
        let rules = "\"GET /{id}\": {organization: \"{id}\"}"
        let require = "    require: {organization: [o1, o2]}"
        let told = try Self.told(
            Self.file(rules, resource: "\(require)\n    path_parameters: keep"), Self.file(rules, resource: require))
        #expect(told == ["now_refused GET \(Self.host)/o1;v=1"])
    }

    @Test func `for two observed rules, a difference in the forwarded identity is reported`() throws {
        let resource = Self.resource(mode: "{observe: {until: 2099-01-01}}")
        let told = try Self.told(
            Self.file("GET /a: {all_of: [read]}", resource: resource),
            Self.file("GET /a: {all_of: [write]}", resource: resource))
        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("goes_elsewhere GET \(Self.host)/a identity.x-subject: ") == true)
    }

    @Test func `one scope less is reported as now allowed, one more as now refused`() throws {
        let (less, more) = (Self.file("GET /a: read"), Self.file("GET /a: read write"))
        #expect(try Self.told(more, less) == ["now_allowed GET \(Self.host)/a"])
        #expect(try Self.told(less, more) == ["now_refused GET \(Self.host)/a"])
    }

    @Test func `a rule that takes requests from another is reported with both rules`() throws {
        let old = Self.file("GET /**: read")
        let new = Self.file("GET /**: read, GET /a/b: {public: true}")
        let comparison = try PolicyComparison(try Self.configuration(old), try Self.configuration(new))
        let difference = try #require(comparison.differences.first)
        #expect(difference.kind == .nowAllowed)
        #expect((difference.old.rule, difference.new.rule) == ("GET /**", "GET /a/b"))
        #expect((difference.old.reason, difference.new.reason) == ("missing_credentials", nil))
        #expect(difference.witness.url == "\(Self.host)/a/b")
    }

    @Test(arguments: [
        // The same requirement in other words.
        ("{any_of: [a, b]}", "{any_of: [b, a]}", []),
        ("{all_of: [a, b]}", "{all_of: [b, a]}", []),
        ("{any_of: [{all_of: [a, b]}, {all_of: [a, c]}]}", "{all_of: [a], any_of: [b, c]}", []),
        ("{claims: {t: {glob: \"x/**\"}}}", "{claims: {t: [{glob: \"x/**\"}, {glob: \"x/*\"}]}}", []),
        (
            "{any_of: [{absent: [act]}, {not: {claims: {act: x}}}, {claims: {act: x}}]}",
            "{any_of: [{absent: [act]}, {not: {claims: {act: y}}}, {claims: {act: y}}]}",
            ["now_allowed", "now_refused"]
        ),
        // Values that a pattern matches beyond another, and values outside it.
        ("{claims: {t: {glob: \"x/*\"}}}", "{claims: {t: {glob: \"x/**\"}}}", ["now_allowed"]),
        ("{claims: {t: {glob: \"*/a\"}}}", "{claims: {t: {glob: \"a/*\"}}}", ["now_allowed", "now_refused"]),
        (
            "{claims: {t: {glob: \"x/*\"}}, not: {claims: {t: {glob: \"x/a*\"}}}}", "{claims: {t: {glob: \"x/*\"}}}",
            ["now_allowed"]
        ),
        // An array can satisfy two values.
        ("{claims: {t: a}}", "{policy: both}", ["now_refused"]),
        // Types of JSON.
        ("{claims: {t: [1]}}", "{claims: {t: [\"1\"]}}", ["now_allowed", "now_refused"]),
        ("{not: {claims: {t: a}}}", "{not: {claims: {t: [a, 1]}}}", ["now_allowed"]),
        // One claim in another.
        ("{claims: {a.b: x}}", "{claims: {a: y}}", ["now_allowed", "now_refused"]),
        ("{absent: [a.b]}", "{absent: [a]}", ["now_refused"]),
        // Scopes as a claim.
        ("read", "{claims: {scope: read}}", ["now_refused"]),
        ("{max_age: 5m}", "{max_age: 10m}", ["now_allowed"]),
        ("{optional: read}", "read", ["now_refused"]),
        ("{public: true}", "{optional: read}", ["now_refused"]),
        ("{issuer: [company]}", "authenticated", []),
    ])
    func `requirements are compared by their meaning`(_ old: String, _ new: String, _ kinds: [String]) throws {
        let policies = "policies: {both: {claims: {t: [a]}, any_of: [{claims: {t: [b]}}, {roles: [none]}]}}"
        let files = [old, new].map { Self.file("GET /a: \($0)") + "\n" + policies }
        let told = try Self.told(files[0], files[1])
        #expect(Set(told.map { String($0.prefix { $0 != " " }) }) == Set(kinds), "\(told)")
    }

    @Test func `an organization from the path is compared with a literal one`() throws {
        let old = Self.file("\"GET /{org}\": {organization: \"{org}\"}")
        let new = Self.file("\"GET /{org}\": {organization: acme}")
        #expect(try Self.told(old, new).map { $0.prefix(11) } == ["now_allowed", "now_refused"])
        let other = Self.file(
            "\"GET /{org}\": {organization: \"{org}\"}", resource: "    require: {organization: acme}")
        #expect(try Self.told(old, other) == ["now_refused GET \(Self.host)/y"])
        #expect(try Self.told(other, old) == ["now_allowed GET \(Self.host)/y"])
    }

    @Test(arguments: [
        (", leeway: 10s", ", leeway: 60s", "now_allowed"), (", max_lifetime: 2h", ", max_lifetime: 10m", "now_refused"),
        (", algorithms: [ES256]", ", algorithms: [ES256, RS256]", "now_allowed"),
        ("", ", denied_keys: [old]", "now_refused"),
        (", clients: [a, b]", ", clients: [a]", "now_refused"), (", require: {claims: {t: [x]}}", "", "now_allowed"),
        ("", ", allow_missing_kid: true", "now_allowed"), ("", ", scope_claims: [permissions]", "now_allowed"),
    ])
    func `requirements of an issuer are compared`(_ old: String, _ new: String, _ kind: String) throws {
        let told = try Self.told(Self.file("GET /a: read", issuer: old), Self.file("GET /a: read", issuer: new))
        #expect(told.first == "\(kind) GET \(Self.host)/a", "\(told)")
    }

    @Test func `an additional tenant and another audience are reported`() throws {
        func file(_ tenants: String, _ audience: String) -> String {
            """
            listen: 127.0.0.1:8080
            issuers: {staff: {profile: entra-id, tenant: organizations, allowed_tenants: [\(tenants)]}}
            resources:
              api: {at: [/api], audiences: ["\(audience)"], issuers: [staff], upstream: "http://127.0.0.1:9000", rules: {GET /: Orders.Read}}
            """
        }
        let (one, two) = ("5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412", "6f3c1b7e-2a64-4d0b-9c58-7e1a90b6d413")
        let (api, other) = ("0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70", "1d9e4c21-77b3-4f6a-8f12-3c5be0a94d71")
        #expect(try Self.told(file(one, api), file("\(one), \(two)", api)) == ["now_allowed GET /api"])
        #expect(
            try Self.told(file(one, api), file(one, other)).map { $0.prefix(11) } == ["now_allowed", "now_refused"])
    }

    @Test func `each change in what the upstream receives is reported once`() throws {
        let old = Self.file(
            "GET /a: read", resource: "    forward: {identity: {subject: X-User}, claims: {groups: X-Groups}}")
        let new = Self.file(
            "GET /a: read",
            resource: """
                    forward: {authorization: keep, identity: {client: X-User}, claims: {groups: {field: X-Groups, only: {glob: "shop-*"}}}}
                    strip_prefix: true
                    upstream_host: inside
                """, upstream: "http://127.0.0.1:9001")
        let aspects = Set(
            try PolicyComparison(try Self.configuration(old), try Self.configuration(new)).differences.flatMap {
                difference in
                #expect(difference.kind == .goesElsewhere)
                return difference.changes.map(\.aspect.name)
            })
        #expect(aspects == ["upstream", "host", "path", "authorization", "identity.x-user", "identity.x-groups"])
    }

    @Test func `scopes read from another claim are reported as a change of the forwarded identity`() throws {
        let resource = "    forward: {identity: {scopes: X-Scope}}\n    scopes: {w: {implies: [r]}}"
        let old = Self.file("GET /a: r", issuer: ", scope_claims: [scp]", resource: resource)
        let new = Self.file("GET /a: r", resource: resource)
        let told = try Self.told(old, new)
        #expect(told.contains { $0.hasPrefix("goes_elsewhere GET \(Self.host)/a identity.x-scope: ") }, "\(told)")
    }

    @Test func `an impossible combination is recognised, however many alternatives there are`() throws {
        let resource = "    require: {any_of: [r, w]}\n    scopes: {z: {implies: [r, w]}}"
        let rule = "GET /a: {clients: [c2], any_of: [r, {roles: [m, n]}, {all_of: [w, z]}]}"
        let old = Self.file(rule, issuer: ", scope_claims: [scp, scope]", resource: resource)
        let new = Self.file(rule, issuer: ", clients: [c1]", resource: resource)
        #expect(try Self.told(old, new) == ["now_refused GET \(Self.host)/a"])
        let other = Self.file("GET /a: {clients: [c1, c2], roles: [m]}", issuer: ", clients: [c1]", resource: resource)
        #expect(try Self.told(new, other) == ["now_allowed GET \(Self.host)/a"])
    }

    @Test func `a token in another header is reported for both headers`() throws {
        let old = Self.file("GET /a: read")
        let new = Self.file("GET /a: read", resource: "    token_header: {name: X-Token}")
        #expect(try Self.told(old, new).map { $0.prefix(11) } == ["now_allowed", "now_refused"])
    }

    @Test func `a further header for the token is reported with the requests that have it`() throws {
        let old = Self.file("GET /a: read", resource: "    token_header: [X-A, X-B]")
        #expect(try Self.told(old, old).isEmpty)
        #expect(try Self.told(old, Self.file("GET /a: read", resource: "    token_header: [X-B, X-A]")).isEmpty)
        // A token in X-C alone is forwarded now; so is one in X-A beside one in X-C no longer.
        let new = Self.file("GET /a: read", resource: "    token_header: [X-A, X-B, X-C]")
        #expect(try Self.told(old, new).map { $0.prefix(11) } == ["now_allowed", "now_refused"])
        let observed = "    mode: {observe: {until: 2100-01-01}}\n"
        let observing = Self.file("GET /a: read", resource: observed + "    token_header: [X-A, X-B]")
        let wider = Self.file("GET /a: read", resource: observed + "    token_header: [X-A, X-B, X-C]")
        #expect(try Self.told(observing, wider).contains { $0.hasPrefix("now_refused") })
    }

    @Test func `a passed Authorization is reported with the requests that have one`() throws {
        let old = Self.file("GET /a: read", resource: "    token_header: X-T")
        let new = Self.file(
            "GET /a: read", resource: "    token_header: X-T\n    forward: {authorization: pass}")
        #expect(try Self.told(new, new).isEmpty)
        let told = try Self.told(old, new)
        // The upstream gets other credentials, and a token of an issuer in `Authorization` is refused.
        #expect(told.contains { $0.hasPrefix("now_refused GET \(Self.host)/a") }, "\(told)")
        #expect(told.contains { $0.contains("authorization") }, "\(told)")
        #expect(try Self.told(new, old).contains { $0.hasPrefix("now_allowed GET \(Self.host)/a") })
    }

    @Test func `path forms that only one file accepts are reported`() throws {
        let old = Self.file("GET /**: read")
        let parameters = Self.file("GET /**: read", resource: "    path_parameters: keep")
        #expect(try Self.told(old, parameters) == ["now_allowed GET \(Self.host);v=1"])
        let slashes = Self.file("GET /**: read", resource: "    encoded_slashes: keep")
        #expect(try Self.told(slashes, old).first == "now_refused GET \(Self.host)/y%2Fz")
        let opaque = Self.file("GET /**: read", resource: "    encoded_slashes: opaque")
        #expect(try Self.told(old, opaque).contains { $0.hasPrefix("now_allowed GET \(Self.host)/") })
        #expect(try Self.told(slashes, opaque).contains("now_allowed GET \(Self.host)/y%252F"))
        #expect(try Self.told(opaque, opaque).isEmpty)
        let narrow = "\"GET /{id}\": read"
        let told = try Self.told(
            Self.file(narrow, resource: "    encoded_slashes: keep"),
            Self.file(narrow, resource: "    encoded_slashes: opaque"))
        #expect(told.contains { $0.hasPrefix("now_allowed GET \(Self.host)/y%2") }, "\(told)")
    }

    @Test func `hosts and ports are compared`() throws {
        let old = Self.file("GET /a: read", resource: "    at: [\"*.example.com/shop\"]")
        let new = Self.file(
            "GET /a: read", resource: "    at: [\"*.example.com/shop\", \"one.example.com:8443/shop/b\"]")
        #expect(try Self.told(old, new) == ["now_allowed GET https://one.example.com:8443/shop/b/a"])
        let wide = Self.file("GET /**: read", resource: "    at: [\"*.example.com/shop\"]")
        let wider = Self.file("GET /**: read", resource: "    at: [\"*.example.com/shop\", \"/shop\"]")
        #expect(try Self.told(wide, wider) == ["now_allowed GET /shop"])
    }

    @Test func `settings that no request is judged by are named if they differ`() throws {
        let old = try Self.configuration(Self.file("GET /a: read"))
        let new = try Self.configuration(
            Self.file(
                "GET /a: read", issuer: ", jwks_uri: \"https://id.example.com/other\"", resource: "    metadata: none")
                + "\nlimits: {body: 1MiB}\ntimeouts: {idle: 5s}")
        #expect(
            NotCompared(old, new).lines == [
                "limits, `identity` among them", "timeouts", "issuers.company: where its keys come from",
                "resources.https://api.example.com/shop: metadata",
            ])
        #expect(NotCompared(old, old).lines.isEmpty)
        #expect(try PolicyComparison(old, new).differences.isEmpty)
    }

    @Test func `realms are compared by the names that one file accepts and the other does not`() throws {
        func file(_ realms: String) -> String {
            Self.file("GET /a: read", issuer: ", realms: \(realms)").replacing(
                "https://id.example.com", with: "https://id.example.com/{realm}")
        }
        let (listed, glob) = (file("[acme]"), file("{glob: \"a*\"}"))
        #expect(try Self.told(listed, glob) == ["now_allowed GET \(Self.host)/a"])
        #expect(try Self.told(glob, listed) == ["now_refused GET \(Self.host)/a"])
        #expect(try Self.told(glob, file("{glob: \"a*\"}, most: 7")).isEmpty)
        #expect(try Self.told(glob, file("{glob: \"*a\"}")).count == 2)
        #expect(try Self.told(listed, file("[acme, globex]")) == ["now_allowed GET \(Self.host)/a"])
        // The shortest name of the pattern is that of the one realm in the other file.
        let fixed = Self.file("GET /a: read").replacing("https://id.example.com", with: "https://id.example.com/ab")
        #expect(try Self.told(glob, fixed) == ["now_refused GET \(Self.host)/a"])
        #expect(try Self.told(fixed, glob) == ["now_allowed GET \(Self.host)/a"])
    }

    @Test func `keys in other files are named as another source`() throws {
        let folder = try TemporaryFolder()
        for name in ["a.pem", "b.pem"] { try folder.write(Self.publicKey, to: name) }
        let paths = ["a.pem", "b.pem"].map(folder.path)
        let files = try paths.map {
            try Self.configuration(
                Self.file("GET /a: read", issuer: ", algorithms: [ES256], keys: [{kid: a, pem_file: \"\($0)\"}]"))
        }
        #expect(NotCompared(files[0], files[1]).lines == ["issuers.company: where its keys come from"])
        #expect(NotCompared(files[0], files[0]).lines.isEmpty)
    }

    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE0SLzsndZ3FBVgAzykU/NCTjWL3U5
        lZ3Y+XZgcAE8HrBiiKYshYHTD1/GN+Dl/H7nLRdcSvnkS53aL+I0Ne8JdA==
        -----END PUBLIC KEY-----

        """

    @Test func `limits, time-outs and response headers of a resource or a rule are named if they differ`() throws {
        func lines(_ old: (rules: String, resource: String), _ new: (rules: String, resource: String)) throws
            -> [String]
        {
            let files = try [old, new].map { try Self.configuration(Self.file($0.rules, resource: $0.resource)) }
            #expect(try PolicyComparison(files[0], files[1]).differences.isEmpty)
            return NotCompared(files[0], files[1]).lines
        }
        let line = "resources.https://api.example.com/shop: limits and timeouts of the resource and its rules"
        let plain = (rules: "GET /a: read", resource: "")
        let bounded = (rules: "GET /a: {all_of: read, limits: {body: 1KiB}}", resource: "")
        let timed = (rules: "GET /a: read", resource: "    timeouts: {first_byte: 1s}")
        #expect(try lines(plain, bounded) == [line])
        #expect(try lines(plain, timed) == [line])
        #expect(try lines(bounded, ("GET /a: {all_of: read, limits: {body: 2KiB}}", "")) == [line])
        #expect(try lines(timed, ("GET /a: read", "    timeouts: {first_byte: 2s}")) == [line])
        #expect(try lines(bounded, bounded) == [] && lines(timed, timed) == [])
        let edits = "resources.https://api.example.com/shop: response: the headers that are set and removed"
        let edited = (rules: "GET /a: {all_of: read, response: {remove: Server}}", resource: "")
        #expect(try lines(plain, edited) == [edits] && lines(edited, edited) == [])
        #expect(try lines(plain, ("GET /a: read", "    response: {set: {Server: a}}")) == [edits])
    }

    /// Both files refuse, or both observe, at the time of the comparison, whatever `until` says.
    @Test(arguments: [
        ("maintenance: {until: 2099-12-24}", "maintenance: {until: 2099-12-25}", "maintenance"),
        ("maintenance: {until: 2026-02-01}", "maintenance: {}", "maintenance"),
        ("maintenance: {retry_after: 1m}", "maintenance: {retry_after: 2m}", "maintenance"),
        ("mode: {observe: {until: 2099-12-24}}", "mode: {observe: {until: 2099-12-25}}", "mode"),
        ("maintenance: {until: 2099-12-24}", "maintenance: {until: 2099-12-24}", nil),
        ("mode: {observe: {until: 2099-12-24}}", "mode: {observe: {until: 2099-12-24T00:00:00Z}}", nil),
    ])
    func `times until which requests are refused or observed are named if they differ`(
        _ old: String, _ new: String, _ named: String?
    ) throws {
        let line = [
            "mode": "mode: until when requests are observed",
            "maintenance": "maintenance: until when it lasts, and its `Retry-After`",
        ]
        let expected = [named].compactMap(\.self).compactMap { line[$0] }.map {
            "resources.https://api.example.com/shop: \($0)"
        }
        func expect(_ old: Configuration, _ new: Configuration) throws {
            #expect(try PolicyComparison(old, new).differences.isEmpty)
            #expect(NotCompared(old, new).lines == expected)
        }
        try expect(
            Self.configuration(Self.file("GET /a: {all_of: read, \(old)}")),
            Self.configuration(Self.file("GET /a: {all_of: read, \(new)}")))
        try expect(
            Self.configuration(Self.file("GET /a: read", resource: "    \(old)")),
            Self.configuration(Self.file("GET /a: read", resource: "    \(new)")))
    }

    @Test(arguments: [
        ("GET /a: read", "GET /a: read, GET /b: read", "", false),
        ("GET /a: read, GET /b: read", "GET /b: read", "", false),
        ("GET /a: read", "GET /a: read, GET /b: read", "    quotas: [one]", false),
        ("GET /a: {all_of: read, quotas: one}", "GET /b: read, GET /a: {all_of: read, quotas: one}", "", false),
        ("GET /a: {all_of: read, quotas: one}", "GET /a: {all_of: read, quotas: two}", "", true),
        ("GET /a: {all_of: read, quotas: one}", "GET /a: read", "", true),
        (
            "GET /a: {all_of: read, quotas: one}, GET /b: read", "GET /b: {all_of: read, quotas: one}, GET /a: read",
            "", true
        ),
        ("GET /a: read", "GET /a: read, GET /b: {all_of: read, quotas: one}", "", true),
    ])
    func `quotas are named only if a rule has different ones`(
        _ old: String, _ new: String, _ resource: String, _ isNamed: Bool
    ) throws {
        let quotas = "\nquotas: {one: {requests: 1, per: 1s}, two: {requests: 2, per: 1s}}"
        let (before, after) = try (
            Self.configuration(Self.file(old, resource: resource) + quotas),
            Self.configuration(Self.file(new, resource: resource) + quotas)
        )
        let line = "resources.https://api.example.com/shop: quotas, and what counts against them"
        #expect(NotCompared(before, after).lines == (isNamed ? [line] : []))
    }

    @Test func `load balancing is not named if the new prefix has none`() throws {
        let spread = "/a: {targets: \"http://127.0.0.1:9000\", balance: {hash: {claim: sub}}}"
        let other = "/b: \"http://127.0.0.1:9001\""
        let line = "resources.https://api.example.com/shop: how requests are distributed over targets"
        func lines(_ old: String, _ new: String) throws -> [String] {
            let files = try [old, new].map { try Self.configuration(Self.file("ANY /**: read", upstream: "{\($0)}")) }
            return NotCompared(files[0], files[1]).lines.filter { $0 == line }
        }
        #expect(try lines(spread, spread + ", " + other) == [])
        #expect(try lines(other + ", " + spread, spread) == [])
        #expect(try lines(spread, spread.replacing("sub", with: "org")) == [line])
        #expect(try lines(spread, other) == [line])
    }
}
