/// The keys of a requirement that is a mapping. All that are there must hold.
enum RequirementKey: String, ConfigurationKey {
    case `public`, optional, policy
    case allOf = "all_of"
    case anyOf = "any_of"
    case text
    case roles, claims, not, absent, issuer, clients, organization, acr
    case maxAge = "max_age"
    case quotas, mode

    static let section = SectionReference(
        "Requirements", "What a rule or a policy asks of a token. All keys that are there must hold.",
        of: RequirementKey.self)

    private static let longestAge = Duration.seconds(10 * 365 * 86_400)
    private static let nothing = KeyAbsence.meaning("nothing is asked for")

    var reference: KeyReference {
        switch self {
        case .public, .optional, .policy, .quotas, .mode: ofForms
        case .allOf, .anyOf, .text, .roles, .clients, .issuer: ofNames
        case .claims, .not, .absent: ofClaims
        case .organization, .acr, .maxAge: ofSignIn
        }
    }

    private var ofForms: KeyReference {
        switch self {
        case .public:
            KeyReference(
                .boolean, .meaning("a token is needed"),
                "`true`: no token is needed, and none is looked at. Only `quotas` may stand beside it.",
                example: "true")
        case .optional:
            KeyReference(
                RequirementReader.form, .meaning("a token is needed"),
                "What a token must meet, if the request has one. Without any credentials it is forwarded, and states no identity.",
                example: "orders:read")
        case .quotas:
            KeyReference(
                .list(.text("a name under `quotas`")), .meaning("only the quotas of the resource count"),
                "The quotas that requests of this rule count against, besides those of the resource. Alone, it is for any valid token.",
                example: "[partner]")
        case .mode:
            KeyReference(
                ModeKey.form, .meaning("it is the resource's"),
                "Whether requests that this rule does not permit are refused. Alone, it is for any valid token.",
                example: "{observe: {until: 2099-12-24}}")
        default:
            KeyReference(
                .text("a name under `policies`"), Self.nothing,
                "What that policy asks for. A policy cannot name another.",
                example: "staff")
        }
    }

    private var ofNames: KeyReference {
        switch self {
        case .allOf:
            KeyReference(
                TextKey.list("scopes"), Self.nothing, "Scopes that the token must all have.",
                example: "[shopping:read, shopping:write]")
        case .anyOf:
            KeyReference(
                .oneOf([.text("a scope"), .listAlone(.oneOf([.text("a scope"), .section(Self.section)]))]),
                Self.nothing,
                "Scopes and requirements of which one is enough. The first says what a client is told to ask for.",
                example: "[shopping:read, {roles: [support], max_age: 15m}]")
        case .text:
            KeyReference(
                .list(.text("scopes")), Self.nothing,
                "Scopes that the token must all have, and that are meant as they are written: a `*` is no pattern, and `true` a scope.",
                example: "\"orders:*\"")
        case .roles:
            KeyReference(
                TextKey.list("a role"), Self.nothing, "Roles of which one is enough.", example: "[admin, support]")
        case .issuer:
            KeyReference(
                .list(.text("an issuer's name")), Self.nothing, "The issuers of one of which the token must be.",
                example: "[logto]")
        default:
            KeyReference(
                TextKey.list("a client ID"), Self.nothing,
                "The clients to one of which the token must have been issued.",
                example: "[back-office]")
        }
    }

    private var ofClaims: KeyReference {
        switch self {
        case .claims:
            KeyReference(
                PatternKey.claims, Self.nothing,
                "Claims, and the values or patterns of which each must be or contain one.",
                example: "{department: [sales, support], repository: {glob: \"acme/*\"}}")
        case .not:
            KeyReference(
                .section(ExclusionKey.section), Self.nothing,
                "What the token must not say, although it says something of it.", example: "{claims: {type: guest}}")
        default:
            KeyReference(
                .list(.text("a claim's name or path")), Self.nothing,
                "Claims that the token must not have; null is absent.",
                example: "[act]")
        }
    }

    private var ofSignIn: KeyReference {
        switch self {
        case .organization:
            KeyReference(
                TextKey.list("an organization, or `\"{name}\"` from the rule's path"), Self.nothing,
                "The organization that the token must be for.", example: "[\"org_1\", \"org_2\"]")
        case .acr:
            KeyReference(
                TextKey.list("a context class"), Self.nothing,
                "How the user must have signed in (RFC 9470); another is 401, so that the client can ask for it.",
                example: "[mfa]")
        default:
            KeyReference(
                .duration(.zero...Self.longestAge), Self.nothing,
                "The longest time since the user signed in, in whole seconds (RFC 9470); a longer one is 401.",
                example: "15m")
        }
    }
}

/// The keys of `not`.
enum ExclusionKey: String, ConfigurationKey {
    case claims

    static let section = SectionReference(
        "not", "What a token must not say. It must say something: a claim that is absent meets no `not`.",
        of: ExclusionKey.self)

    var reference: KeyReference {
        KeyReference(
            PatternKey.claims, .refused(hint: "write {claims: {claim: value}}"),
            "Claims that are there, and the values or patterns of which each must be and contain none.",
            example: "{type: [guest, contractor]}")
    }
}

/// The keys of a pattern for the value of a claim.
enum PatternKey: String, ConfigurationKey {
    case glob, text

    static let section = SectionReference(
        "Patterns", "Texts that a claim may be, as a pattern or as they are written.", of: PatternKey.self)

    /// Advice where a pattern cannot stand.
    static let advice = "write {claims: {CLAIM: {glob: …}}}"

    /// Claims, and the values or patterns of which each must have one.
    static let claims = ValueForm.mapping(of: .text("a claim's name or path"), to: choice)

    /// Values and patterns.
    static let choice = ValueForm.list(.oneOf([.claimValue, .section(section)]))

    var reference: KeyReference {
        switch self {
        case .glob:
            KeyReference(
                .list(.text("a pattern")), .refusedUnless("`text` is there", hint: "write {glob: \"acme/*\"}"),
                "`*` is one or more bytes other than `/` and `:`, `**` one or more of any; `\\*` is a `*`. The whole text must match.",
                example: "\"repo:acme/*:ref:refs/heads/**\"")
        case .text:
            KeyReference(
                .list(.text("text")), .meaning("only patterns count"), TextKey.text.reference.text,
                example: TextKey.text.reference.example)
        }
    }
}
