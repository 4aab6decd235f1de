import PolicyOracle

extension DocumentedCase {
    /// "Optional tokens" and "Public or authenticated": credentials of a request, and the three answers.
    static let credentials: [DocumentedCase] = {
        let open = policy([
            Rule("GET /public", .everyone), Rule("GET /optional", .optional(.scopes(["a"]))),
            Rule("GET /needed", .needing(.scopes(["a"]))),
        ])
        let missing = refused(.missingCredentials)
        let expired = token(["exp": .integer(PolicyGenerator.now - 100), "iat": .integer(PolicyGenerator.now - 200)])
        let rows: [(credentials: Credentials, query: String?, optional: Answer, needed: Answer)] = [
            (.none, nil, forwardedAsNobodys, missing), (.otherScheme, nil, missing, missing),
            (.empty, nil, missing, missing),
            (.twice, nil, refused(.multipleCredentials), refused(.multipleCredentials)),
            (.malformed("a b"), nil, refused(.malformedCredentials), refused(.malformedCredentials)),
            (.none, "access_token=x", missing, missing),
            (token(), "access_token=x", refused(.multipleCredentials), refused(.multipleCredentials)),
            (expired, nil, refused(.expired), refused(.expired)),
            (token(audience: "x"), nil, refused(.audienceMismatch), refused(.audienceMismatch)),
            (token(), nil, refused(.insufficientScope), refused(.insufficientScope)),
            (token(["scope": .text("a")]), nil, forwarded, forwarded),
        ]
        return rows.flatMap { row in
            [("/public", forwardedAsNobodys), ("/optional", row.optional), ("/needed", row.needed)].map {
                path, answer in
                var request = Request("GET", path, row.credentials)
                request.query = row.query
                return DocumentedCase(table: "credentials", policy: open, request: request, answer: answer)
            }
        }
    }()

    /// "Token in another header".
    static let fields: [DocumentedCase] = {
        var file = policy([Rule("GET /**", .needing(.authenticated))])
        file.resources[0].tokenHeader = Resource.TokenHeader(prefix: "")
        let rows: [(field: Credentials, authorization: Credentials, query: String?, answer: Answer)] = [
            (token(), .none, nil, forwarded), (token(), .twice, nil, forwarded),
            (.none, token(), nil, refused(.missingCredentials)), (.empty, .none, nil, refused(.missingCredentials)),
            (.malformed("a b"), .none, nil, refused(.malformedCredentials)),
            (.twice, .none, nil, refused(.multipleCredentials)),
            (token(), .none, "access_token=x", refused(.multipleCredentials)),
        ]
        return rows.map { row in
            var request = Request("GET", "/", row.authorization)
            request.tokenField = row.field
            request.query = row.query
            return DocumentedCase(table: "field", policy: file, request: request, answer: row.answer)
        }
    }()

    /// "Token in another header", of a list.
    static let severalFields: [DocumentedCase] = {
        var file = policy([Rule("GET /**", .needing(.authenticated))])
        file.resources[0].tokenHeader = Resource.TokenHeader(prefix: nil, others: [.other])
        var wide = file
        wide.resources[0].tokenHeader = Resource.TokenHeader(prefix: nil, others: [.authorization])
        let rows: [(file: Policy, field: Credentials, other: Credentials, authorization: Credentials, answer: Answer)] =
            [
                (file, token(), .none, .none, forwarded), (file, .none, token(), .none, forwarded),
                (file, .none, token(), .otherScheme, forwarded),
                (file, token(), token(), .none, refused(.multipleCredentials)),
                (file, token(), .empty, .none, refused(.multipleCredentials)),
                (file, .none, .none, token(), refused(.missingCredentials)),
                (wide, .none, .none, token(), forwarded), (wide, token(), .none, .none, forwarded),
                (wide, token(), .none, token(), refused(.multipleCredentials)),
                (wide, token(), .none, .otherScheme, refused(.multipleCredentials)),
            ]
        return rows.map { row in
            var request = Request("GET", "/", row.authorization)
            (request.tokenField, request.otherField) = (row.field, row.other)
            return DocumentedCase(table: "fields", policy: row.file, request: request, answer: row.answer)
        }
    }()

    /// "The application's own Authorization".
    static let passed: [DocumentedCase] = {
        var file = policy([
            Rule("GET /public", .everyone), Rule("GET /optional", .optional(.authenticated)),
            Rule("GET /needed", .needing(.authenticated)),
        ])
        file.resources[0].tokenHeader = Resource.TokenHeader(prefix: nil)
        file.resources[0].passesAuthorization = true
        var observed = file
        observed.resources[0].mode = .observe(until: "2026-01-02", seconds: PolicyGenerator.now + 86_400)
        let twice = refused(.multipleCredentials)
        func would(_ reason: Reason) -> Answer { .observed(status: reason.status, reason: reason.rawValue) }
        let rows: [(file: Policy, path: String, field: Credentials, authorization: Credentials, answer: Answer)] = [
            (file, "/needed", token(), .otherScheme, forwarded), (file, "/needed", token(), .text("opaque"), forwarded),
            (file, "/needed", .none, .otherScheme, refused(.missingCredentials)),
            (file, "/optional", .none, .otherScheme, forwardedAsNobodys),
            (file, "/public", .none, .otherScheme, forwardedAsNobodys),
            (file, "/needed", token(), token(), twice), (file, "/optional", .none, token(), twice),
            (file, "/public", .none, token(), twice), (file, "/public", .none, .twice, twice),
            (observed, "/needed", .none, token(), twice), (observed, "/public", .none, token(), twice),
            (observed, "/needed", .none, .otherScheme, would(.missingCredentials)),
            (observed, "/other", .none, token(), would(.noRule)),
            (file, "/other", .none, token(), refused(.noRule)),
        ]
        return rows.map { row in
            var request = Request("GET", row.path, row.authorization)
            request.tokenField = row.field
            return DocumentedCase(table: "passed", policy: row.file, request: request, answer: row.answer)
        }
    }()

    /// "Dry run: observe a rule before it enforces" and "Scope hierarchy: scopes that imply others".
    static let resources: [DocumentedCase] = {
        var observed = policy([Rule("GET /x", .needing(.scopes(["a"])))])
        observed.resources[0].mode = .observe(until: "2026-01-02", seconds: PolicyGenerator.now + 86_400)
        var implied = policy([
            Rule("GET /**", .needing(.scopes(["orders:read"]))), Rule("POST /**", .needing(.scopes(["orders:write"]))),
            Rule("PUT /**", .needing(.mapping([.anyOf([.scope("x"), .scope("orders:read")])]))),
        ])
        implied.resources[0].scopes = ["orders:admin": ["orders:write"], "orders:write": ["orders:read"]]
        func would(_ reason: Reason) -> Answer { .observed(status: reason.status, reason: reason.rawValue) }
        func scope(_ text: String) -> Credentials { token(["scope": .text(text)]) }
        let rows: [(Policy, Request, Answer)] = [
            (observed, Request("GET", "/x", scope("a")), forwarded),
            (observed, Request("GET", "/x"), would(.missingCredentials)),
            (observed, Request("GET", "/x", token(audience: "x")), would(.audienceMismatch)),
            (observed, Request("GET", "/x", token()), would(.insufficientScope)),
            (observed, Request("GET", "/y", token()), would(.noRule)),
            (observed, Request("GET", "/x", .twice), refused(.multipleCredentials)),
            (observed, Request("GET", "/x/..", token()), refused(.badRequest)),
            (implied, Request("GET", "/", scope("orders:write")), forwarded),
            (implied, Request("GET", "/", scope("orders:admin")), forwarded),
            (implied, Request("POST", "/", scope("orders:read")), refused(.insufficientScope)),
            (implied, Request("PUT", "/", scope("orders:admin")), forwarded),
        ]
        return rows.map { DocumentedCase(table: "resource", policy: $0, request: $1, answer: $2) }
    }()
}
