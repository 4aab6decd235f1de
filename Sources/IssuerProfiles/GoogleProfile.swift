import JOSE
import KeySets
import TokenVerification

/// Profile of Google sign-in. Google's access tokens are opaque, so the ID token is the bearer token. Only its audience
/// binds it to an API.
enum GoogleProfile: ProfileDefinition {
    static let title = "Google"
    static let parameters: [ProfileParameter] = [
        .optional(
            "hosted_domain", .texts, "the Workspace domain whose users may come", .meaning("every Google account may"),
            example: "example.com"),
        .optional(
            "accept_service_accounts", .boolean, "`true` to accept the ID tokens of service accounts", .value("false"),
            example: "true"),
        .clients("the OAuth client ids (`azp`) that may use the API", example: "[4411-web.apps.googleusercontent.com]"),
    ]

    private static let displayClaims: Set<String> = ["name", "given_name", "family_name", "picture", "email"]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let domains = reading.domains("hosted_domain")
        let acceptsServiceAccounts = reading.boolean("accept_service_accounts")
        let clients = reading.texts("clients")
        var issuer = TrustedIssuer(
            name: name, identifiers: [IssuerIdentifier(main), IssuerIdentifier("accounts.google.com")],
            algorithms: [.rs256],
            tokenType: .any)
        issuer.authorizationServers = [main]
        issuer.clients = clients
        issuer.claimChecks = (acceptsServiceAccounts ? [] : people) + domainCheck(domains)
        issuer.subject.isRequired = true
        issuer.readClaims(roles: [], clients: [ClaimPath(member: "azp")], tenants: [ClaimPath(member: "hd")])
        issuer.refusedIdentifiers = refused
        issuer.hints = hints
        return issuer.profiled(keysAt: "https://www.googleapis.com/oauth2/v3/certs", showing: displayClaims)
    }

    private static let main = "https://accounts.google.com"

    /// Checks that reject service accounts. Their tokens have an address below `gserviceaccount.com`, or the account
    /// itself as the client (`azp` equals `sub`).
    private static let people = [
        IssuerCheck(.notEnding(ClaimPath(member: "email"), ".gserviceaccount.com"), else: .clientNotAllowed),
        IssuerCheck(.different(ClaimPath(member: "azp"), ClaimPath(member: "sub")), else: .clientNotAllowed),
    ]

    private static func domainCheck(_ domains: [String]?) -> [IssuerCheck] {
        guard let domains else { return [] }
        return [IssuerCheck(.oneOf(ClaimPath(member: "hd"), domains.map { .string($0) }), else: .tenantNotAllowed)]
    }

    private static let refused = ["https://securetoken.google.com/", "https://session.firebase.google.com/"].map {
        prefix in
        RefusedIssuer(
            IssuerIdentifier(template: prefix, ""), .issuerMismatch,
            hint:
                "A Firebase token. Use profile: firebase for apps that sign in with Firebase, or send Google's own ID token."
        )
    }

    private static let hints: [IssuerHint] = [
        IssuerHint(
            .opaqueNotSupported, "Google's access tokens are opaque and for Google's own APIs: send the ID token."),
        IssuerHint(
            .audienceMismatch,
            "The ID token is for another app. Set serverClientID in the app to the OAuth client id that stands in the resource's audiences."
        ),
        IssuerHint(
            .tenantNotAllowed, "The user is not of a domain in hosted_domain; personal accounts have no hd at all."),
        IssuerHint(
            .clientNotAllowed, if: .some([ClaimPath(member: "azp")]),
            "A service account, and accept_service_accounts is not set; or a client that is not among clients."),
    ]
}
