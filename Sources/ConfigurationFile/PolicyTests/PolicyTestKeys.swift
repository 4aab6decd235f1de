import RequestAuthorization

/// The keys of a file of tests.
enum PolicyTestsKey: String, ConfigurationKey {
    case tests, at

    static let section = SectionReference(
        "A file of tests", "Requests, and what a policy must answer to each.", of: PolicyTestsKey.self)

    /// A time as it is written in such a file.
    static let time = ValueForm.text("a time as RFC 3339 writes it, or seconds since 1970")

    var reference: KeyReference {
        switch self {
        case .tests:
            KeyReference(
                .listAlone(.section(PolicyTestKey.section)),
                .refused(hint: "write a list: `tests: [{request: …, expect: …}]`"),
                "The tests, each of which is judged alone.", example: "[{request: GET /health, expect: {status: 200}}]")
        case .at:
            KeyReference(
                Self.time, .meaning("it is the time at which the tests are run"),
                "When requests are judged that do not say it themselves.",
                example: "2026-11-22T10:00:00Z")
        }
    }
}

/// The keys of one test.
enum PolicyTestKey: String, ConfigurationKey {
    case name, request, host, headers, issuer, claims, header, sample
    case tokenFile = "token_file"
    case at, expect

    static let section = SectionReference("Tests", "One request, and what must come of it.", of: PolicyTestKey.self)

    private static let members = ValueForm.mapping(of: .text("a name"), to: .anything)

    var reference: KeyReference {
        switch self {
        case .name, .request, .host, .headers, .at, .expect: ofRequest
        case .issuer, .claims, .header, .sample, .tokenFile: ofToken
        }
    }

    private var ofRequest: KeyReference {
        switch self {
        case .name:
            KeyReference(
                .text("text"), .meaning("it is called by its request"), "What the test is called where it fails.",
                example: "reads with read")
        case .request:
            KeyReference(
                .pattern("a method and a URL or a path", "^[^ ]+ [^ ]+$"),
                .refused(hint: "write a method and a URL: `request: GET /orders`"),
                "The request's method, and its URL or its path alone.",
                example: "GET https://shopping.your-app.com/api/orders/7")
        case .host:
            KeyReference(
                .text("a host, perhaps with a port"), .meaning("it is the URL's, or `localhost`"),
                "The host of a request whose path alone is written.",
                example: "shopping.your-app.com")
        case .headers:
            KeyReference(
                .mapping(of: .text("a field's name"), to: .list(.text("a value"))), .meaning("there are no others"),
                "More fields of the request. A list gives a field several times.",
                example: "{Origin: https://app.example}")
        case .at:
            KeyReference(
                PolicyTestsKey.time, .meaning("it is the file's `at`"), "When the request is judged.",
                example: "2026-11-22T10:00:00Z")
        default:
            KeyReference(
                .section(ExpectationKey.section), .refused(hint: "write what must come of it: `expect: {status: 200}`"),
                "What must come of it. What is not written is not looked at.",
                example: "{status: 403, reason: insufficient_scope}")
        }
    }

    private var ofToken: KeyReference {
        switch self {
        case .issuer:
            KeyReference(
                .text("an issuer's name"),
                .meaning("it is the file's only issuer; without `claims`, `sample` and `token_file` there is no token"),
                "The issuer of which a key is taken to have signed the token.", example: "logto")
        case .claims:
            KeyReference(
                Self.members, .meaning("the token says what its issuer needs, and no more"),
                "What the token says. What its issuer needs besides is added; null leaves it out.",
                example: "{sub: u1, scope: shopping:read}")
        case .header:
            KeyReference(
                Self.members, .meaning("it names an algorithm, the type and a key that fit the issuer"),
                "What the token's header says in place of what fits; null leaves it out.", example: "{typ: JWT}")
        case .sample:
            KeyReference(
                .text("a sample's name"), .meaning("the token is none of the samples"),
                "A token of a provider as it gives them out, issued at the time of the test. `claims` and `header` change it.",
                example: "logto/access")
        default:
            KeyReference(
                .text("a path"), .meaning("the token is not in a file"),
                "A file with a token. Its signature is taken for granted as well.", example: "./real.jwt")
        }
    }
}

/// The keys of what a test expects.
enum ExpectationKey: String, ConfigurationKey {
    case status, reason, would, scope, challenge, resource, rule, issuer, upstream, path, identity

    static let section = SectionReference(
        "Expectations", "What must come of a request. All that is written must hold.", of: ExpectationKey.self)

    private static let unseen = KeyAbsence.meaning("it is not looked at")

    var reference: KeyReference {
        switch self {
        case .status, .reason, .would, .scope, .challenge: ofAnswer
        case .resource, .rule, .issuer, .upstream, .path, .identity: ofForwarding
        }
    }

    private var ofAnswer: KeyReference {
        switch self {
        case .status:
            KeyReference(
                .integer(200...599), Self.unseen,
                "The answer's status; 200 is also that of a request which is forwarded.", example: "403")
        case .reason:
            KeyReference(
                .words(RejectionReason.allCases.map(\.label)), Self.unseen,
                "Why the request is refused, as in the access log.",
                example: "insufficient_scope")
        case .would:
            KeyReference(
                .oneOf([.section(WouldKey.section), .words([WouldKey.none])]), Self.unseen, WouldKey.section.text,
                example: "{status: 401, reason: expired}")
        case .scope:
            KeyReference(
                .list(.text("scopes"), mayBeEmpty: true), Self.unseen,
                "The scopes that the challenge asks for, in any order.",
                example: "[shopping:write]")
        default:
            KeyReference(
                .text("text"), Self.unseen, "The whole value of the `WWW-Authenticate` field.",
                example: "'Bearer realm=\"orders\"'")
        }
    }

    private var ofForwarding: KeyReference {
        switch self {
        case .resource:
            KeyReference(
                .text("a resource of the file"), Self.unseen, "The resource that the request is for.",
                example: "https://shopping.your-app.com/api")
        case .rule:
            KeyReference(
                .text("a rule as it is written"), Self.unseen, "The rule that the request falls under.",
                example: "GET /orders/**")
        case .issuer:
            KeyReference(.text("an issuer's name"), Self.unseen, "The issuer that the token names.", example: "logto")
        case .upstream:
            KeyReference(
                .text("a URL"), Self.unseen, "A target that the request may go to.", example: "http://127.0.0.1:9000")
        case .path:
            KeyReference(
                .text("a path"), Self.unseen, "The path that is forwarded, before the upstream's own is put in front.",
                example: "/orders/7")
        default:
            KeyReference(
                .mapping(of: .text("a field's name"), to: .anything), Self.unseen,
                "Fields that state the identity to the upstream, and their values; null: it is not sent.",
                example: "{X-Auth-Subject: u1}")
        }
    }
}

/// The keys of what would come of a request whose rule is only observed.
enum WouldKey: String, ConfigurationKey {
    case status, reason

    /// Of a request that would not be refused.
    static let none = "none"

    static let section = SectionReference(
        "would",
        "What a request would be refused for that is forwarded because its rule is only observed; `none`: it is no such request.",
        of: WouldKey.self)

    var reference: KeyReference {
        switch self {
        case .status:
            KeyReference(
                .integer(400...599), .meaning("it is not looked at"), "The status that the answer would have.",
                example: "401")
        case .reason:
            KeyReference(
                .words(RejectionReason.allCases.filter(\.isSuspendable).map(\.label)), .meaning("it is not looked at"),
                "Why the request would be refused.", example: "expired")
        }
    }
}
