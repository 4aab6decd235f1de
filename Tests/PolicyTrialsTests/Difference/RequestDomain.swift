/// All requests and tokens that are tried, chosen by hand from what ``PolicyGenerator`` can generate.
enum RequestDomain {
    static let now = 1_767_225_600

    /// Paths below the place `/p`; `/p/a` and `/q` can be separate places.
    static let paths = [
        "/p", "/p/", "/p/a", "/p/a/", "/p/b", "/p/b/", "/p/c", "/p/a/b", "/p/a/c", "/p/a/d", "/p/c/b", "/p/o1",
        "/p/a/o1",
        "/p/o1/b", "/p/a/b/c", "/p/c/c/c", "/q", "/q/a", "/q/a/b", "/p/a;v=1", "/p/c;v=1", "/p/a%2Fb", "/p/a%2Fx",
        "/p/a/b%2Fc", "/p/c%2Fb", "/p/x%2Fy", "/p/c:x", "/p/b:x", "/p/cb:x", "/p/a/c:x", "/p/v1", "/p/v1/b", "/p/v1/c",
        "/p/h", "/p/a/h", "/p/c/h", "/p/b/h", "/p/a/b/h", "/p/a/c/h", "/p/c/c/h", "/p/c/b/h", "/p/v1/h", "/p/v1/b/h",
        "/p/v:x", "/p/v1:x", "/q/h", "/q/a/h", "/p/a:x",
    ]
    static let methods = ["GET", "HEAD", "POST", "DELETE"]
    static let hosts = ["h.example", "h.example:8443", "x.example", "elsewhere.test"]

    /// True if a path has `;` or `%2F`.
    static func isOdd(_ path: String) -> Bool { path.contains(";") || path.contains("%2F") }

    // MARK: Tokens

    /// A token as JSON: members of the header, and of the claims set.
    struct Token: Hashable {
        var header: [String: String]
        var claims: [String: String]

        static func json(_ members: [String: String]) -> [UInt8] {
            Array(
                "{\(members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
                    .utf8)
        }
    }

    static func tokens(_ topics: [PolicyGenerator.Topic], hasPartner: Bool, hasDepartment: Bool) -> [Token] {
        let issuers =
            hasPartner ? ["\"https://id.example\"", "\"https://partner.example\""] : ["\"https://id.example\""]
        var tokens = issuers.map { issuer in
            Token(
                header: ["alg": "\"RS256\"", "typ": "\"at+jwt\"", "kid": "\"k\""],
                claims: [
                    "iss": issuer, "aud": "\"orders\"", "sub": "\"s\"", "exp": "\(now + 300)", "iat": "\(now)",
                    "typ": "\"B\"",
                ])
        }
        let all: [PolicyGenerator.Topic?] = topics.map { $0 } + (hasDepartment && !topics.contains(.claim) ? [nil] : [])
        for topic in all {
            let changes = topic.map(Self.changes) ?? [["dept": "\"k\""], ["dept": "\"y\""], [:]]
            tokens = tokens.flatMap { token in
                changes.map { change in
                    var token = token
                    for (name, value) in change {
                        if name.hasPrefix("header.") {
                            token.header[String(name.dropFirst("header.".count))] = value
                        } else {
                            token.claims[name] = value.isEmpty ? nil : value
                        }
                    }
                    return token
                }
            }
        }
        return tokens
    }

    private static func changes(_ topic: PolicyGenerator.Topic) -> [[String: String]] {
        switch topic {
        case .scope:
            [
                [:], ["scope": "\"r\""], ["scope": "\"w\""], ["scope": "\"r w\""], ["scope": "\"z\""],
                ["scp": "[\"r\"]"],
                ["scp": "[\"w\",\"r\"]"], ["scp": "[\"w\"]", "scope": "\"r\""], ["scope": "[\"r\",\"w\"]"],
                ["scope": "\"r,w\""], ["scope": "\"w | r\""],
            ]
        case .roles:
            [
                [:], ["roles": "[\"m\"]"], ["roles": "\"n\""], ["roles": "[\"m\",\"n\"]"], ["roles": "[\"q\"]"],
                ["roles": "\"m n\""],
            ]
        case .claim:
            [
                "", "null", "\"k\"", "\"l\"", "\"y\"", "\"ab/y\"", "\"ab/y/y\"", "\"ab/c\"", "\"y/c\"", "1", "2",
                "true",
                "false", "{}", "[]", "[\"k\",\"ab/c\"]", "[\"k\",\"l\"]", "[\"k\",1]", "[\"l\",\"ab/y\"]",
                "[\"y/c\",\"y\"]",
                "[\"k\",\"y\"]",
            ].map { ["dept": $0] }
                + [
                    "[]", "{}", "[{}]", "[{\"dept\":\"k\"}]", "[{\"dept\":\"l\"}]", "[{\"dept\":\"ab/y\"}]",
                    "[{\"dept\":\"y\"}]", "[{\"dept\":\"y\"},{\"dept\":\"k\"}]", "[{\"dept\":\"y\"},{}]",
                    "[{\"dept\":1}]",
                ].map { ["list": $0] }
        case .absent: [[:], ["act": "\"x\""], ["act": "null"]]
        case .client: [[:], ["client_id": "\"c1\""], ["azp": "\"c2\""], ["client_id": "\"c3\""]]
        case .organization: ["", "\"o1\"", "\"o2\"", "\"c\"", "\"a\""].map { ["organization_id": $0] }
        case .contextClass: ["", "\"g\"", "\"h\"", "\"i\""].map { ["acr": $0] }
        case .signIn: ["", "\(now)", "\(now - 400)", "\(now - 1000)", "\(now + 200)"].map { ["auth_time": $0] }
        case .times:
            [
                [:], ["exp": "\(now - 5)", "iat": ""], ["exp": "\(now - 30)", "iat": ""],
                ["exp": "\(now - 90)", "iat": ""],
                ["exp": "\(now + 3600)"], ["exp": "\(now + 9000)"], ["iat": "\(now + 5)"], ["iat": "\(now + 30)"],
            ]
        case .header:
            [
                [:], ["header.alg": "\"ES256\""], ["header.alg": "\"PS256\""], ["header.alg": "\"ES384\""],
                ["header.kid": "\"bad\""],
                ["header.kid": "\"worse\""], ["header.kid": "\"bad\"", "header.alg": "\"ES256\""],
            ]
        case .tokenType:
            [[:], ["typ": "\"C\""], ["typ": ""], ["header.typ": "\"JWT\""], ["header.typ": "\"JWT\"", "typ": "\"C\""]]
        case .subject:
            [
                [:], ["sub": ""], ["user_id": "\"u\""], ["user_id": "7", "sub": ""], ["user_id": "[]"],
                ["user_id": "\"\""],
            ]
        case .realm:
            // In a token of the partner, `iss` of a realm is as good as any.
            ["a", "b", "ab", "aab", "ac", "x", "aXb", "a/b", "-b"].map { ["iss": "\"https://id.example/\($0)\""] } + [
                [:]
            ]
        case .audience:
            [
                [:], ["aud": "\"second\""], ["aud": "[\"orders\",\"second\"]"], ["aud": "\"y\""], ["aud": ""],
                ["aud": "", "client_id": "\"c1\""], ["aud": "[]", "client_id": "\"c2\""],
            ]
        }
    }
}
