import TestSupport

extension ThreatCases {
    /// Cases of time. The leeway is 60 seconds; a few seconds more keep the verdict independent of the duration of the
    /// run.
    static let times: [ThreatCase] =
        [
            .claim("T139 no exp", "exp", nil, .invalidToken("claim_invalid")),
            .token("T141 expired within the leeway", .forwarded) {
                $0.signed($0.good.with("iat", nil).with("exp", "\($0.now - 20)"))
            },
            .token("T141 expired", .invalidToken("expired")) {
                $0.signed($0.good.with("iat", nil).with("exp", "\($0.now - 60)"))
            },
            .token("T142 exp with a fraction", .forwarded) { $0.signed($0.good.with("exp", "\($0.now + 3600).5")) },
            .token("T145 exp before nbf", .invalidToken("claim_invalid")) {
                $0.signed($0.good.with("exp", "\($0.now + 30)").with("nbf", "\($0.now + 31)"))
            },
            .token("T146 nbf within the leeway", .forwarded) { $0.signed($0.good.with("nbf", "\($0.now + 59)")) },
            .token("T146 nbf past the leeway", .invalidToken("not_yet_valid")) {
                $0.signed($0.good.with("nbf", "\($0.now + 600)"))
            },
            .token("T147 iat within the leeway", .forwarded) { $0.signed($0.good.with("iat", "\($0.now + 59)")) },
            .token("T147 iat past the leeway", .invalidToken("not_yet_valid")) {
                $0.signed($0.good.with("iat", "\($0.now + 600)"))
            },
            .claim("T147 iat a string", "iat", #""now""#, .invalidToken("claim_invalid")),
            .claim("T148 no iat", "iat", nil, .forwarded),
        ]
        + ["null", "true", #""9999999999""#, "[]", "{}"].map { (json: String) in
            .claim("T139 exp \(json)", "exp", json, .invalidToken("claim_invalid"))
        }
        + ["0", "-0", "-1", "-1e308"].map { (json: String) in
            .token("T140 exp \(json)", .invalidToken("expired")) {
                $0.signed($0.good.with("iat", nil).with("exp", json))
            }
        }
        + ["9223372036854775807", "9223372036854775808", "1e308", "253402300800"].map { (json: String) in
            .claim("T143 exp \(json)", "exp", json, .invalidToken("claim_invalid"))
        }
        + [.claim("T143 exp 1e999", "exp", "1e999", .invalidToken("malformed"))]
        + [#""x""#, "-1"].map { (json: String) in
            .claim("T146 nbf \(json)", "nbf", json, .invalidToken("claim_invalid"))
        }

    /// Cases of audience, issuer, subject and the other claims.
    static let claims: [ThreatCase] =
        [
            .claim("T168 aud a list", "aud", #"["x","api"]"#, .forwarded),
            .claim("T169 no aud", "aud", nil, .invalidToken("audience_mismatch")),
            .claim("T171 33 audiences", "aud", "[" + (0..<32).map { "\"\($0)\"," }.joined() + "\"api\"]", .forwarded),
            .claim(
                "T172 a token for billing, sent to the orders", "aud", #""billing""#, .invalidToken("audience_mismatch")
            ),
            .claim("T172 a token for billing, sent to billing", "aud", #""billing""#, at: "/billing/x", .forwarded),
            .claim("T173 the same for the orders once more", "aud", #""billing""#, .invalidToken("audience_mismatch")),
            .claim("T174 no iss", "iss", nil, .invalidToken("issuer_mismatch")),
            .token("T175 an issuer named with another issuer's key", at: "/billing/x", .invalidToken("bad_signature")) {
                $0.signed($0.good.with("iss", #""https://other.example""#).with("aud", #""billing""#))
            },
            .token("T176 an issuer that only billing trusts, at billing", at: "/billing/x", .forwarded) {
                $0.good.with("iss", #""https://other.example""#).with("aud", #""billing""#).signed(
                    by: ThreatTokens.other)
            },
            .token("T176 an issuer that only billing trusts, at the orders", .invalidToken("issuer_mismatch")) {
                $0.good.with("iss", #""https://other.example""#).signed(by: ThreatTokens.other)
            },
            .claim("T178 no department", "x", nil, at: "/sales", .forbidden("claim_required")),
            .claim("T178 a department of another kind", "department", "1", at: "/sales", .forbidden("claim_required")),
            .claim("T178 true as text", "flag", #""true""#, at: "/truth", .forbidden("claim_required")),
            .claim("T178 true as a number", "flag", "1", at: "/truth", .forbidden("claim_required")),
            .claim("T178 true", "flag", "true", at: "/truth", .forwarded),
            .claim(
                "T180 a claim with the value asked for behind it", "department", #""x@sales""#, at: "/sales",
                .forbidden("claim_required")),
            .claim(
                "T180 a claim with the value asked for before it", "department", #""sales.evil""#, at: "/sales",
                .forbidden("claim_required")),
            .claim(
                "T179 a longer department", "department", #""salesmen""#, at: "/sales", .forbidden("claim_required")),
            .claim("T179 the department", "department", #""sales""#, at: "/sales", .forwarded),
            .token("T181 an ID token", .invalidToken("typ_mismatch")) {
                $0.signed($0.good.withHeader("typ", #""JWT""#).with("aud", #""app-1""#).with("nonce", #""n""#))
            },
            .claim(
                "T182 a logout token", "events", #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#,
                .invalidToken("not_access_token")),
            .claim("T185 nbf null", "nbf", "null", .forwarded),
            .claim("T185 events null", "events", "null", .forwarded),
            .claim("T185 cnf null", "cnf", "null", .forwarded),
            .claim("T185 cnf of null", "cnf", #"{"jkt":null}"#, .invalidToken("bound_token")),
            .claim("T186 sub an integer", "sub", "9007199254740993", .forwarded),
            .claim("T184 another client", "client_id", #""app-2""#, at: "/office", .forbidden("client_required")),
            .claim("T184 the client", "client_id", #""back-office""#, at: "/office", .forwarded),
        ]
        + ["null", #""""#, "[]", "1", "{}", #"[["api"]]"#, #"["api",1]"#, #"["api",null]"#].map { (json: String) in
            .claim("T169 aud \(json)", "aud", json, .invalidToken("audience_mismatch"))
        }
        + ["API", "api/", "api ", "api.evil", "xapi", "ap", "*", "other,api", "other api"].map { (json: String) in
            .claim("T170 aud '\(json)'", "aud", "\"\(json)\"", .invalidToken("audience_mismatch"))
        }
        + [
            "https://iss.example/", "https://ISS.example", "https://iss.exampl", "xhttps://iss.example",
            " https://iss.example",
            "https://iss.example@evil",
        ].map { (json: String) in
            .claim("T174 iss '\(json)'", "iss", "\"\(json)\"", .invalidToken("issuer_mismatch"))
        }
        + [
            #""""#, "7.5", "9223372036854775808", "-0", "[]", #""a\r\nb""#,
            "\"\(String(repeating: "s", count: 10_240))\"",
        ].map { (json: String) in
            .claim("T177 sub \(json.prefix(12))", "sub", json, .invalidToken("subject_invalid"))
        }

    /// Cases of scope and method.
    static let scopes: [ThreatCase] =
        [
            .claim("T193 one of several", "scope", #""a read b""#, .forwarded),
            .claim("T194 two spaces between", "scope", #""a  read""#, .forwarded),
            .claim("T195 no scope", "scope", nil, .insufficientScope),
            .claim("T196 an array", "scope", #"["read"]"#, .forwarded),
            .claim("T197 one of two", "x", nil, at: "/both", .insufficientScope),
            .claim("T197 both", "scope", #""write read""#, at: "/both", .forwarded),
            .claim("T197 any of two", "x", nil, at: "/any", .forwarded),
            .claim("T276 the stricter rule", "x", nil, at: "/orders/admin", .insufficientScope),
            .fields("T198 PUT", "PUT /orders HTTP/1.1", ["Authorization: Bearer GOOD"], .noRule),
            .fields("T198 get", "get /orders HTTP/1.1", ["Authorization: Bearer GOOD"], .badRequest),
            .fields("T198 Get", "Get /orders HTTP/1.1", ["Authorization: Bearer GOOD"], .badRequest),
            .fields("T198 connect", "connect /orders HTTP/1.1", ["Authorization: Bearer GOOD"], .badRequest),
            .fields("T198 purge", "purge /orders HTTP/1.1", ["Authorization: Bearer GOOD"], .noRule),
            .fields(
                "T198 TRACE", "TRACE /orders HTTP/1.1", ["Authorization: Bearer GOOD"],
                .ending(405, "method_not_allowed")),
            .fields(
                "T198 CONNECT", "CONNECT lab.example:443 HTTP/1.1", ["Authorization: Bearer GOOD"],
                .ending(405, "method_not_allowed")),
            .fields(
                "T199 a method to override with", "POST /orders HTTP/1.1",
                ["Authorization: Bearer GOOD", "X-HTTP-Method-Override: DELETE", "Content-Length: 0"], .forwarded),
        ]
        + ["readonly", "READ", "read,write", "xread", #"read\twrite"#, ""].map { (json: String) in
            .claim("T194 scope '\(json)'", "scope", "\"\(json)\"", .insufficientScope)
        }
}
