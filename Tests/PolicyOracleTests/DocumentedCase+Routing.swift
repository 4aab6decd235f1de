import PolicyOracle

extension DocumentedCase {
    /// "Route matching order: host, port, path": each place is a separate resource, and the token is for the one that
    /// should win.
    static let places: [DocumentedCase] = {
        let places = [
            "/", "/orders/deep", "*.example.com", "*.example.com:8443/orders", "api.example.com/orders",
            "api.example.com/orders/archive", "api.example.com:8443/orders",
        ]
        let policy = Policy(
            issuers: [issuer],
            resources: places.map { place in
                Resource(place, at: [place], issuers: ["company"], rules: [Rule("GET /**", .needing(.authenticated))])
            })
        let rows = [
            ("localhost", "/orders", "/"), ("localhost", "/orders/deep/1", "/orders/deep"),
            ("shop.example.com", "/orders/deep", "*.example.com"),
            ("shop.example.com:8443", "/orders/1", "*.example.com:8443/orders"),
            ("shop.example.com:9999", "/orders/1", "*.example.com"),
            ("API.example.com.:9999", "/orders/7", "api.example.com/orders"),
            ("api.example.com", "/orders/archive/1", "api.example.com/orders/archive"),
            ("api.example.com:8443", "/orders/archive/1", "api.example.com:8443/orders"),
            ("api.example.com", "/ordersX", "*.example.com"), ("a.b.example.com", "/", "/"), ("example.com", "/", "/"),
        ]
        return rows.map { host, path, winner in
            DocumentedCase(
                table: "place", policy: policy, request: Request("GET", host: host, path, token(audience: winner)),
                answer: forwarded)
        }
    }()

    /// "Rule matching order: path, method": the rule that should win is public, and the others require a token.
    static let rules: [DocumentedCase] = {
        let rows: [(rules: [String], method: String, path: String, winner: String?)] = [
            (["GET /orders/open", "GET /orders/{id}"], "GET", "/orders/open", "GET /orders/open"),
            (["GET /orders/open", "GET /orders/{id}"], "GET", "/orders/7", "GET /orders/{id}"),
            (["GET /orders/{id}", "GET /orders/**"], "GET", "/orders", "GET /orders/**"),
            (["GET /orders/{id}", "GET /orders/**"], "GET", "/orders/", "GET /orders/**"),
            (["GET /orders/{id}", "GET /orders/**"], "GET", "/orders/7/x", "GET /orders/**"),
            (["GET /orders/{id}", "GET /orders/**"], "GET", "/ordersX", nil),
            (["GET /orders/{id}", "GET /orders/**"], "GET", "/Orders/7", nil),
            (["GET /orders/open", "DELETE /orders/*"], "DELETE", "/orders/open", "DELETE /orders/*"),
            (["GET /a/{x}", "POST /a/b"], "GET", "/a/b", "GET /a/{x}"),
            (["GET /m/b/d", "GET /m/{x}/c"], "GET", "/m/b/c", "GET /m/{x}/c"),
            (["ANY /n/b", "GET /n/{x}"], "GET", "/n/b", "ANY /n/b"),
            (["GET /h", "ANY /h"], "HEAD", "/h", "GET /h"),
            (["GET /i", "HEAD /i", "ANY /i"], "HEAD", "/i", "HEAD /i"),
            (["GET /i", "HEAD /i", "ANY /i"], "OPTIONS", "/i", "ANY /i"),
            (["GET /slash"], "GET", "/slash/", "GET /slash"),
            (["GET /two", "GET /two/"], "GET", "/two/", "GET /two/"),
            (["GET /two", "GET /two/"], "GET", "/two", "GET /two"),
        ]
        return rows.map { row in
            DocumentedCase(
                table: "rule",
                policy: policy(
                    row.rules.map { Rule($0, $0 == row.winner ? .everyone : .needing(.authenticated)) }),
                request: Request(row.method, row.path),
                answer: row.winner == nil ? refused(.noRule) : forwardedAsNobodys)
        } + [
            DocumentedCase(
                table: "rule", policy: policy([Rule("ANY /h", .everyone)]), request: Request("TRACE", "/h"),
                answer: refused(.methodNotAllowed))
        ]
    }()

    /// "Parts of a segment": the rule that should win asks for a scope that the token has, the others for another.
    static let parts: [DocumentedCase] = {
        let rows: [(rules: [String], path: String, winner: String?)] = [
            (["POST /orders/{id}:cancel", "POST /orders/{id}"], "/orders/7:cancel", "POST /orders/{id}:cancel"),
            (["POST /orders/{id}:cancel", "POST /orders/{id}"], "/orders/7", "POST /orders/{id}"),
            (["POST /orders/{id}:cancel", "POST /orders/{id}"], "/orders/:cancel", "POST /orders/{id}"),
            (["POST /Items({id})", "POST /Items"], "/Items(7)", "POST /Items({id})"),
            (["POST /*.css", "POST /*.min.css", "POST /{name}"], "/a.min.css", "POST /*.min.css"),
            (["POST /*.css", "POST /*.min.css", "POST /{name}"], "/a.css", "POST /*.css"),
            (["POST /*.css", "POST /*.min.css", "POST /{name}"], "/.css", "POST /{name}"),
            (["POST /v*", "POST /v1"], "/v1", "POST /v1"), (["POST /v*", "POST /v1"], "/v2", "POST /v*"),
            (["POST /v*", "POST /v1"], "/v2/x", nil),
            (["POST /**/healthz", "POST /**/live/healthz"], "/healthz", "POST /**/healthz"),
            (["POST /**/healthz", "POST /**/live/healthz"], "/a/b/healthz", "POST /**/healthz"),
            (["POST /**/healthz", "POST /**/live/healthz"], "/a/live/healthz", "POST /**/live/healthz"),
            (["POST /**/healthz", "POST /admin/**"], "/admin/healthz", "POST /admin/**"),
            (["POST /a/**/b", "POST /**"], "/a/b", "POST /a/**/b"), (["POST /a/**/b", "POST /**"], "/a", "POST /**"),
        ]
        return rows.map { row in
            DocumentedCase(
                table: "parts",
                policy: policy(row.rules.map { Rule($0, .needing(.scopes([$0 == row.winner ? "won" : "lost"]))) }),
                request: Request("POST", row.path, token(["scope": .text("won")])),
                answer: row.winner == nil ? refused(.noRule) : forwarded)
        }
    }()

    /// "Encoded slashes", both tables.
    static let encodedSlashes: [DocumentedCase] = {
        let kept = [
            ("GET /projects/**", "projects:read"), ("POST /projects/{id}/hooks", "projects:admin"),
            ("POST /projects/{group}/{name}/hooks", "projects:admin"), ("GET /projects/admin/**", "projects:admin"),
            ("GET /users/{id}", "users:read"),
        ]
        let opaque = [("GET /objects/{name}", "files:read"), ("GET /objects/admin/**", "files:admin")]
        let rows: [(Resource.EncodedSlashes, [(String, String)], String, String, String, Reason?)] = [
            (.keep, kept, "GET", "/projects/group%2Fproject", "projects:read", nil),
            (.keep, kept, "POST", "/projects/group%2Fproject/hooks", "projects:admin", nil),
            (.keep, kept, "GET", "/projects/admin%2Fkeys", "projects:read", .badRequest),
            (.keep, kept, "GET", "/users/7%2Fkeys", "users:read", .badRequest),
            (.keep, kept, "GET", "/projects%2Fgroup", "projects:read", .badRequest),
            (.keep, kept, "GET", "/projects/%2F/keys", "projects:read", nil),
            (.keep, kept, "GET", "/projects/https:%2F%2Fx", "projects:read", nil),
            (.keep, kept, "GET", "/projects/%2Fadmin", "projects:read", .badRequest),
            (.keep, kept, "GET", "/projects/a%2F..%2Fb", "projects:read", .badRequest),
            (.keep, kept, "GET", "/%2Fprojects", "projects:read", .badRequest),
            (.keep, kept, "GET", "/projects/a%252Fb", "projects:read", .badRequest),
            (.keep, kept, "GET", "/projects/a%5Cb", "projects:read", .badRequest),
            (.opaque, opaque, "GET", "/objects/a%2Fb", "files:read", nil),
            (.opaque, opaque, "GET", "/objects/a%252Fb", "files:read", nil),
            (.opaque, opaque, "GET", "/objects/admin%2Fkeys", "files:read", nil),
            (.opaque, opaque, "GET", "/objects%2Fa", "files:read", .noRule),
            (.opaque, opaque, "GET", "/objects/a%2F..%2Fb", "files:read", .badRequest),
            (.opaque, opaque, "GET", "/objects/%252e%252e", "files:read", .badRequest),
            (.opaque, opaque, "GET", "/objects/a%255Cb", "files:read", .badRequest),
            (.opaque, opaque, "GET", "/%2Fa", "files:read", .badRequest),
            (.opaque, opaque, "GET", "/%252Fa", "files:read", .badRequest),
        ]
        return rows.map { form, rules, method, path, scope, reason in
            var policy = policy(rules.map { Rule($0, .needing(.scopes([$1]))) })
            policy.resources[0].encodedSlashes = form
            return DocumentedCase(
                table: "encoded slashes", policy: policy,
                request: Request(method, path, token(["scope": .text(scope)])),
                answer: reason.map(refused) ?? forwarded)
        }
    }()
}
