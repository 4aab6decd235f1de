/// The keys of a requirement that is a mapping. All that are there must hold.
enum RequirementKey: String, ConfigurationKey {
    case `public`, policy
    case allOf = "all_of"
    case anyOf = "any_of"
    case roles, claims, clients, organization, acr
    case maxAge = "max_age"
    case quotas

    /// Means something in the future, and nothing now.
    static let reserved = "optional"

    static let section = SectionReference(
        "Requirements", "What a rule or a policy asks of a token. All keys that are there must hold.", of: RequirementKey.self)

    private static let longestAge = Duration.seconds(10 * 365 * 86_400)
    private static let nothing = KeyAbsence.meaning("nothing is asked for")

    var reference: KeyReference {
        switch self {
        case .public, .policy, .quotas: ofForms
        case .allOf, .anyOf, .roles, .clients: ofNames
        case .claims, .organization, .acr, .maxAge: ofClaims
        }
    }

    private var ofForms: KeyReference {
        switch self {
        case .public:
            KeyReference(
                .boolean, .meaning("a token is needed"),
                "`true`: no token is needed, and none is looked at. Only `quotas` may stand beside it.",
                example: "true")
        case .quotas:
            KeyReference(
                QuotaKey.names, .meaning("only the quotas of the resource count"),
                "The quotas that requests of this rule count against, besides those of the resource. Alone, it is for any valid token.",
                example: "[partner]")
        default:
            KeyReference(
                .text("a name under `policies`"), Self.nothing, "What that policy asks for. A policy cannot name another.",
                example: "staff")
        }
    }

    private var ofNames: KeyReference {
        switch self {
        case .allOf:
            KeyReference(
                .list(.text("scopes")), Self.nothing, "Scopes that the token must all have.", example: "[shopping:read, shopping:write]")
        case .anyOf:
            KeyReference(
                .list(.text("a scope")), Self.nothing, "Scopes of which one is enough.", example: "[shopping:read, store:read]")
        case .roles:
            KeyReference(.list(.text("a role")), Self.nothing, "Roles of which one is enough.", example: "[admin, support]")
        default:
            KeyReference(
                .list(.text("a client ID")), Self.nothing, "The clients to one of which the token must have been issued.",
                example: "[back-office]")
        }
    }

    private var ofClaims: KeyReference {
        switch self {
        case .claims:
            KeyReference(
                .claims, Self.nothing, "Claims, and the values of which each must be or contain one.",
                example: "{department: [sales, support]}")
        case .organization:
            KeyReference(
                .list(.text("an organization, or `\"{name}\"` from the rule's path")), Self.nothing,
                "The organization that the token must be for.", example: "[\"org_1\", \"org_2\"]")
        case .acr:
            KeyReference(
                .list(.text("a context class")), Self.nothing,
                "How the user must have signed in (RFC 9470); another is 401, so that the client can ask for it.", example: "[mfa]")
        default:
            KeyReference(
                .duration(.zero...Self.longestAge), Self.nothing,
                "The longest time since the user signed in, in whole seconds (RFC 9470); a longer one is 401.", example: "15m")
        }
    }
}
