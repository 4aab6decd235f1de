import AccessControl
import HTTPMessages
import TestSupport
import Testing
import TokenVerification

@testable import RequestAuthorization

/// CORS: responses to preflights, and fields of other responses.
struct CrossOriginTests {
    typealias Fixture = AuthorizerFixture

    private static let page = "Origin: https://app.example"

    private static func policy(_ origins: AllowedOrigins? = nil, credentials: Bool = false) throws -> CrossOriginPolicy
    {
        CrossOriginPolicy(
            origins: try origins ?? .listed([OriginPattern("https://app.example")]), allowsCredentials: credentials,
            requestFields: ["X-Trace", "Content-Type"], exposedFields: ["X-Total-Count", "retry-after"])
    }

    /// - Parameter isAlone: true if the resource's hosts have no other resource.
    private static func fixture(_ policy: CrossOriginPolicy?, isAlone: Bool = false) throws -> AuthorizerFixture {
        let elsewhere = try PlacePattern(at: "other.example/other")
        return try fixture(policy) { if isAlone { $0.places = [elsewhere] } }
    }

    private static func fixture(
        _ policy: CrossOriginPolicy?, other: (inout ProtectedResource) -> Void
    ) throws -> AuthorizerFixture {
        try Fixture(
            rules: Fixture.rules + [
                ("ANY /any/**", .token([])), ("OPTIONS /me", .public), ("PATCH,PUT /orders/{id}", .token([])),
            ],
            configure: {
                $0.crossOrigin = policy
                $0.stripsPrefix = true
            }, other: other)
    }

    private func outcome(
        _ line: String, _ fields: [String], _ policy: CrossOriginPolicy? = try? Self.policy()
    ) throws -> AuthorizationOutcome {
        try Self.fixture(policy).outcome(Fixture.request(line + " HTTP/1.1", fields: fields))
    }

    private func preflight(
        _ path: String, _ method: String = "GET", origin: String = page, policy: CrossOriginPolicy? = try? Self.policy()
    ) throws -> (lines: [String], facts: AuthorizationFacts)? {
        let fields = [origin, "Access-Control-Request-Method: \(method)"]
        guard case .preflight(let answer, let facts) = try outcome("OPTIONS " + path, fields, policy) else {
            return nil
        }
        #expect(answer.verdict.status == .noContent)
        #expect((answer.verdict == .granted && facts.narrowGrant == nil) == (facts.hint == nil))
        return (answer.lines, facts)
    }

    @Test func `the resource's own token header is always allowed in CORS requests`() {
        let policy = CrossOriginPolicy(origins: .any, tokenFields: ["X-Token"], requestFields: ["X-Trace", "x-token"])
        #expect(String(decoding: policy.requestFields, as: UTF8.self) == "x-token, content-type, x-trace")
        let several = CrossOriginPolicy(
            origins: .any, tokenFields: ["X-Token", "authorization"], requestFields: ["Authorization", "X-Trace"])
        #expect(
            String(decoding: several.requestFields, as: UTF8.self) == "x-token, authorization, content-type, x-trace")
    }

    private static func anyField() throws -> CrossOriginPolicy {
        CrossOriginPolicy(origins: .listed([try OriginPattern("https://app.example")]), requestFields: .any)
    }

    private func permitted(_ requested: [String], _ policy: CrossOriginPolicy) throws -> (
        lines: [String], hint: String?
    ) {
        let fields = [Self.page, "Access-Control-Request-Method: GET"]
        let asked = requested.map { "Access-Control-Request-Headers: \($0)" }
        guard case .preflight(let answer, let facts) = try outcome("OPTIONS /shop/me", fields + asked, policy) else {
            throw CancellationError()
        }
        return (answer.lines.filter { $0.hasPrefix("access-control-allow-headers") }, facts.hint)
    }

    @Test(
        arguments: [
            ([], ""), ([""], ""), ([" , ,"], ""), (["x-a"], ", x-a"), (["x-a,x-b"], ", x-a, x-b"),
            (["X-A, \t x-B ,X-a"], ", x-a, x-b"), (["x-a", "x-b,x-a"], ", x-a, x-b"),
            (["authorization,content-type,x-a"], ", x-a"), (["*"], ", *"), (["!#$%&'*+.^_`|~-"], ", !#$%&'*+.^_`|~-"),
        ] as [([String], String)])
    func `with any header permitted, a preflight's answer repeats the names that it asks about`(
        requested: [String], names: String
    ) throws {
        let answer = try permitted(requested, Self.anyField())
        #expect(answer.lines == ["access-control-allow-headers: authorization, content-type" + names])
        #expect(answer.hint == nil)
    }

    @Test func `a preflight that asks for Authorization is answered with its name, also beside another token header`()
        throws
    {
        let policy = CrossOriginPolicy(origins: .any, tokenFields: ["X-Token"], requestFields: .any)
        #expect(
            try permitted(["authorization,x-token"], policy).lines == [
                "access-control-allow-headers: x-token, content-type, authorization"
            ])
    }

    @Test(arguments: ["x a", "x-a;b", "x-a,\"x\"", "x-a, (b)", "x:y", "x/y", "x=y"])
    func `a preflight that asks about something that is no header name is refused`(requested: String) throws {
        let answer = try permitted([requested], Self.anyField())
        #expect(answer.lines.isEmpty)
        #expect(answer.hint == "`Access-Control-Request-Headers` has an element that is not a header name")
        // Without `headers: any` the names are not part of the answer.
        #expect(try permitted([requested], Self.policy()).hint == Self.noFields)
    }

    @Test func `a preflight may ask about a hundred headers and 4 KiB of names, and no more`() throws {
        let hint = "`Access-Control-Request-Headers` names more than 100 headers, or has more than 4 KiB of names"
        let names = (0..<101).map { "x-\($0)" }
        let hundred = try permitted([names.dropLast().joined(separator: ",")], Self.anyField())
        #expect(hundred.lines.first?.hasSuffix(", x-98, x-99") == true && hundred.hint == nil)
        let more = try permitted([names.joined(separator: ",")], Self.anyField())
        #expect(more.lines.isEmpty && more.hint == hint)
        let long = String(repeating: "a", count: 4095)
        let whole = try permitted([long + ",b"], Self.anyField())
        #expect(whole.lines.first?.hasSuffix("a, b") == true && whole.hint == nil)
        let longer = try permitted([long + ",bc"], Self.anyField())
        #expect(longer.lines.isEmpty && longer.hint == hint)
        // A name that is repeated counts once.
        #expect(try permitted(Array(repeating: long + ",b", count: 3), Self.anyField()).hint == nil)
    }

    private static let vary = "vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers"

    // MARK: Preflights

    @Test(
        arguments: [
            ("/shop/orders", "POST", "GET, POST"), ("/shop/orders", "GET", "GET, POST"),
            ("/shop/orders", "HEAD", "GET, POST, HEAD"),
            ("/shop/orders", "DELETE", "GET, POST"), ("/shop/orders/7", "DELETE", "GET, PATCH, PUT"),
            ("/shop/any/x", "DELETE", "DELETE"),
            ("/shop/any/x", "HELLO", "HELLO"), ("/shop/me", "GET", "GET, OPTIONS"),
            ("/shop/status", "GET", "GET, HEAD"),
            // Methods that no request may have.
            ("/shop/orders/7", "put", "GET, PATCH, PUT"), ("/shop/orders/7", "CONNECT", "GET, PATCH, PUT"),
            ("/shop/orders/7", "PUT, DELETE", "GET, PATCH, PUT"),
        ])
    func `a preflight lists the methods that have a rule for its path`(path: String, method: String, methods: String)
        throws
    {
        let lines = [
            "access-control-allow-origin: https://app.example", "access-control-allow-methods: \(methods)",
            "access-control-allow-headers: authorization, content-type, x-trace", "access-control-max-age: 600",
            Self.vary,
        ]
        #expect(try preflight(path, method)?.lines == lines)
    }

    private static let noMethod =
        "the answer does not permit this method, so the browser sends no request: no rule is for it here"
    private static let noFields =
        "the answer does not permit all of these headers, so the browser sends no request: `cors.headers` adds headers"

    private static func told(_ method: String, _ fields: String? = nil, granted: String) -> String {
        let headers = fields.map { ", headers \"\($0)\"" } ?? ""
        return "asked: origin \"https://app.example\", method \"\(method)\"\(headers); granted: \(granted)"
    }

    /// Hint and detail about a preflight.
    private func narrow(_ line: String, _ fields: [String]) throws -> (hint: String?, detail: String?) {
        let fixture = try Self.fixture(Self.policy())
        var request = try Fixture.request(line + " HTTP/1.1", fields: fields)
        guard
            case .preflight(let answer, let facts) = fixture.authorizer.authorize(
                &request, at: NumericDate(seconds: TestToken.now))
        else { return (nil, "no preflight") }
        return (facts.hint, fixture.authorizer.detail(of: .preflight(answer.verdict), request, facts))
    }

    @Test(
        arguments: [
            ("GET", nil, nil, nil), ("PUT", "Authorization,x-trace", nil, nil), ("PUT", "X-TRACE", nil, nil),
            (
                "DELETE", nil, noMethod,
                told("DELETE", granted: "methods GET, PATCH, PUT, headers authorization, content-type, x-trace")
            ),
            (
                "PUT", "x-trace,x-secret", noFields,
                told(
                    "PUT", "x-trace,x-secret",
                    granted: "methods GET, PATCH, PUT, headers authorization, content-type, x-trace")
            ),
            // A browser sends the request, and it is then 403.
            (
                "POST", "authorization", nil,
                told(
                    "POST", "authorization",
                    granted: "methods GET, PATCH, PUT, headers authorization, content-type, x-trace")
            ),
            (
                "PUT", "a b", noFields,
                told("PUT", "a b", granted: "methods GET, PATCH, PUT, headers authorization, content-type, x-trace")
            ),
        ] as [(String, String?, String?, String?)])
    func `a preflight that is not granted all it asks has a detail with both`(
        method: String, fields: String?, hint: String?, detail: String?
    ) throws {
        let asked =
            [Self.page, "Access-Control-Request-Method: \(method)"]
            + (fields.map { ["Access-Control-Request-Headers: \($0)"] } ?? [])
        let told = try narrow("OPTIONS /shop/orders/7", asked)
        #expect(told.hint == hint)
        #expect(told.detail == detail)
    }

    @Test func `of what a preflight asks, 128 bytes of each are shown, escaped`() throws {
        let long = String(repeating: "a", count: 300)
        let told = try narrow(
            "OPTIONS /shop/orders/7",
            [
                "Origin: \(long)", "Access-Control-Request-Method: \(long)",
                "Access-Control-Request-Headers: \(long)",
            ])
        let cut = "\"" + String(repeating: "a", count: 127) + "…"
        #expect(
            told.detail == "asked: origin \(cut), method \(cut), headers \(cut); granted: origins https://app.example")
        #expect(
            try narrow("OPTIONS /shop/nowhere", [Self.page, "Access-Control-Request-Method: PUT"]).detail
                == Self.told("PUT", granted: "nothing"))
    }

    @Test(
        arguments: [
            (
                "/shop/orders", "GET", "Origin: https://evil.example",
                "its origin is not in the resource's `cors.origins`"
            ),
            ("/shop/orders", "GET", "Origin: null", "its origin is not in the resource's `cors.origins`"),
            ("/shop/nowhere", "GET", page, "no rule of the resource is for this path"),
            ("/shop/any/x", "CONNECT", page, "no rule of the resource is for this path"),
            ("/shop/any/x", "A B", page, "no rule of the resource is for this path"),
            ("/shop/any/x", "delete", page, "no rule of the resource is for this path"),
        ])
    func `a refused preflight reveals nothing`(path: String, method: String, origin: String, hint: String)
        throws
    {
        let answer = try #require(try preflight(path, method, origin: origin))
        #expect(answer.lines == [Self.vary])
        #expect(answer.facts.hint == hint)
    }

    @Test func `origins of a star get a star, and null gets no permission`() throws {
        let policy = try Self.policy(.any)
        #expect(try preflight("/shop/me", policy: policy)?.lines.first == "access-control-allow-origin: *")
        #expect(try preflight("/shop/me", origin: "Origin: null", policy: policy)?.lines == [Self.vary])
    }

    @Test(arguments: ["http://localhost:5173", "http://localhost", "http://localhost:9"])
    func `a page on any port of the user's machine gets its own origin back`(origin: String) throws {
        let policy = try Self.policy(.listed([OriginPattern("http://localhost:*")]))
        #expect(
            try preflight("/shop/me", origin: "Origin: " + origin, policy: policy)?.lines.first
                == "access-control-allow-origin: " + origin)
        #expect(try preflight("/shop/me", origin: "Origin: https://localhost:9", policy: policy)?.lines == [Self.vary])
    }

    @Test func `CORS credentials are permitted only if the file says so`() throws {
        let lines = try preflight("/shop/me", policy: Self.policy(credentials: true))?.lines
        #expect(lines?[1] == "access-control-allow-credentials: true")
    }

    @Test func `an invalid message or path, or an unknown place, is refused before CORS is considered`() throws {
        let fields = [Self.page, "Access-Control-Request-Method: GET"]
        for (path, reason) in [
            ("/shop/../x", RejectionReason.message(.badRequest)), ("/shop/a;b", .message(.badRequest)),
            ("/nowhere", .routing(.noResource)),
        ] {
            guard case .reject(let rejection, _) = try outcome("OPTIONS " + path, fields) else {
                return #expect(Bool(false), "\(path)")
            }
            #expect(rejection.reason == reason, "\(path)")
        }
    }

    @Test(
        arguments: [
            ["Access-Control-Request-Method: GET"], [page], ["Origin: https://evil.example"], [],
        ])
    func `an OPTIONS request that is no preflight is judged like any request`(fields: [String]) throws {
        guard case .forward = try outcome("OPTIONS /shop/me", fields) else { return #expect(Bool(false)) }
        guard case .reject(let rejection, _) = try outcome("OPTIONS /shop/orders", fields) else {
            return #expect(Bool(false))
        }
        #expect(rejection.reason == .routing(.noRule))
    }

    @Test func `without a CORS policy a preflight is judged like any request`() throws {
        guard case .forward = try outcome("OPTIONS /shop/me", [Self.page, "Access-Control-Request-Method: GET"], nil)
        else {
            return #expect(Bool(false))
        }
    }

    // MARK: Other requests

    @Test(
        arguments: [
            [page, page], [page, "Origin: https://b.example"], ["Origin: https://app.example https://b.example"],
            ["Origin: https://app.example, https://b.example"], ["Origin: https://app.example,"],
        ])
    func `a request with several origins is refused, whatever its method`(fields: [String]) throws {
        for line in ["GET /shop/status", "OPTIONS /shop/me"] {
            guard
                case .reject(let rejection, let facts) = try outcome(
                    line, fields + ["Access-Control-Request-Method: GET"])
            else {
                return #expect(Bool(false), "\(line)")
            }
            #expect(rejection.reason == .message(.badRequest))
            #expect(facts.hint == "the request states more than one origin; a browser states one")
        }
        guard case .forward = try outcome("GET /shop/status", fields, nil) else {
            return #expect(Bool(false), "without a policy")
        }
    }

    private func stated(_ line: String, _ fields: [String], _ policy: CrossOriginPolicy?, isAlone: Bool = false) throws
        -> [String]?
    {
        let authorizer = try Self.fixture(policy, isAlone: isAlone).authorizer
        var request = try Fixture.request(line + " HTTP/1.1", fields: fields)
        let facts: AuthorizationFacts
        switch authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now)) {
        case .forward(_, let found), .reject(_, let found): facts = found
        default: return ["neither forwarded nor refused"]
        }
        var head = HeadWriter()
        guard let verdict = facts.origin, let resource = facts.resource,
            let stated = authorizer.crossOriginFields(verdict, of: resource, for: request.head)
        else { return nil }
        stated.write(into: &head)
        return String(decoding: head.bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    @Test func `a page may read the refusal of an invalid path if the host has only one resource`() throws {
        let allowed = "access-control-allow-origin: https://app.example"
        for path in ["/shop/../x", "/shop/a\\b", "/shop/%ff", "/nowhere//x", "/shop/a;b"] {
            #expect(try stated("GET " + path, [Self.page], Self.policy(), isAlone: true)?.first == allowed, "\(path)")
            #expect(
                try stated("GET " + path, ["Origin: https://evil.example"], Self.policy(), isAlone: true) == [
                    "vary: Origin"
                ])
            #expect(try stated("GET " + path, [Self.page], nil, isAlone: true) == nil)
        }
        // If two resources are possible, it is unknown which origins may read the response.
        #expect(try stated("GET /shop/../x", [Self.page], Self.policy()) == nil)
    }

    @Test func `a host has a sole resource only if no other resource is possible there`() throws {
        func sole(_ places: [[String]], host: String = "a.example") throws -> ResourceIndex? {
            let table = SoleResources(try places.map { try $0.map { try PlacePattern(at: $0) } })
            return table.resource(of: try Fixture.request("GET /../x HTTP/1.1", host: host))
        }
        #expect(try sole([["a.example/x", "a.example/y"], ["b.example"]]) == 0)
        #expect(try sole([["a.example/x"], ["a.example/y"]]) == nil)
        #expect(try sole([["a.example/x"], ["/y"]]) == nil)
        #expect(try sole([["b.example"], ["/y"]]) == 1)
        #expect(try sole([["b.example"]]) == nil)
        #expect(try sole([]) == nil)
    }

    @Test(arguments: ["GET /shop/status", "GET /shop/me", "DELETE /shop/orders"])
    func `every response states which origins may read it`(line: String) throws {
        let exposed =
            "access-control-expose-headers: WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, X-Request-ID, X-Total-Count"
        let policy = try Self.policy()
        #expect(
            try stated(line, [Self.page], policy) == [
                "access-control-allow-origin: https://app.example", exposed, "vary: Origin",
            ])
        #expect(
            try stated(line, ["Origin: HTTPS://APP.example"], policy)?.first
                == "access-control-allow-origin: HTTPS://APP.example")
        #expect(try stated(line, ["Origin: https://evil.example"], policy) == ["vary: Origin"])
        #expect(try stated(line, [], policy) == ["vary: Origin"])
        #expect(
            try stated(line, [Self.page], Self.policy(.any)) == [
                "access-control-allow-origin: *", exposed, "vary: Origin",
            ])
        #expect(try stated(line, ["Origin: null"], Self.policy(.any)) == ["vary: Origin"])
        #expect(
            try stated(line, [Self.page], Self.policy(credentials: true))?.prefix(2) == [
                "access-control-allow-origin: https://app.example", "access-control-allow-credentials: true",
            ])
        #expect(try stated(line, [Self.page], nil) == nil)
    }

    @Test func `a response from before the resource is known states no CORS permission`() throws {
        for path in ["/nowhere", "/shop/../x"] { #expect(try stated("GET " + path, [Self.page], Self.policy()) == nil) }
        #expect(
            try stated("GET /shop/a;b", [Self.page], Self.policy())?.first
                == "access-control-allow-origin: https://app.example")
    }

    // MARK: Explanations

    private func explanation(_ line: String, _ fields: [String]) throws -> Explanation {
        var request = try Fixture.request(line + " HTTP/1.1", fields: fields)
        return try Self.fixture(Self.policy()).authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
    }

    @Test func `an explanation distinguishes a preflight from a request, and shows its result`() throws {
        let asked = "Access-Control-Request-Method: PUT"
        let granted = try explanation("OPTIONS /shop/orders/7", [Self.page, asked])
        #expect(granted.status == 204 && granted.reason?.label == "preflight" && !granted.isRefusal)
        let steps = granted.steps.map { "\($0.name): \($0.verdict.rawValue)" }
        #expect(steps.prefix(4) == ["path: passed", "place: passed", "cors: passed", "rule: not_reached"])
        #expect(granted.steps[2].detail == "pages of https://app.example may send GET, PATCH, PUT here")
        let narrow = try explanation("OPTIONS /shop/orders/7", [Self.page, "Access-Control-Request-Method: DELETE"])
        #expect(narrow.status == 204 && narrow.reason?.label == "preflight" && narrow.hint == Self.noMethod)
        #expect(
            narrow.steps[2].detail == "pages of https://app.example may send GET, PATCH, PUT here; "
                + Self.told("DELETE", granted: "methods GET, PATCH, PUT, headers authorization, content-type, x-trace"))
        let refused = try explanation("OPTIONS /shop/orders/7", ["Origin: https://evil.example", asked])
        #expect(refused.status == 204 && refused.reason?.label == "preflight_refused" && refused.isRefusal)
        #expect(
            refused.steps[2].verdict == .failed
                && refused.steps[2].detail
                    == #"asked: origin "https://evil.example", method "PUT"; granted: origins https://app.example"#
        )
        #expect(refused.hint == "its origin is not in the resource's `cors.origins`")
        let read = try explanation("GET /shop/status", [Self.page])
        #expect(read.status == 200 && read.steps[2].detail == "pages of https://app.example may read the answer")
        let foreign = try explanation("GET /shop/status", ["Origin: https://evil.example"])
        #expect(foreign.steps[2].verdict == .passed)
        #expect(foreign.steps[2].detail == "pages of https://evil.example cannot read the answer")
        #expect(try explanation("GET /shop/status", []).steps[2].name == "rule")
        let several = try explanation("GET /shop/status", [Self.page, Self.page])
        #expect(several.status == 400 && several.steps[2].verdict == .failed)
    }
}
