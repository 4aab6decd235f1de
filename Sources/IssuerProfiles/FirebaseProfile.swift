import JOSE
import KeySets
import TokenVerification

/// Profile of Firebase Authentication and Google Cloud Identity Platform. The ID token is the bearer token.
///
/// The same keys sign the tokens of all projects. `iss` and `aud` decide; both are made from the project ID.
enum FirebaseProfile: ProfileDefinition {
    static let title = "Firebase Authentication"
    static let namesClients = false
    static let parameters: [ProfileParameter] = [
        .required("project_id", .text, "the project's id, such as `kestrel-demo-4411`", example: "kestrel-demo-4411"),
        .optional(
            "tenants", .texts, "`none`, `any` or the ids of the tenants whose users may come", .value("none"),
            example: "[shop-x7k2p]"),
        .optional(
            "allow_anonymous", .boolean, "`true` to accept users who did not sign in", .value("false"), example: "true"),
        .optional(
            "sign_in_providers", .texts, "how users may have signed in, such as `[password, microsoft.com]`",
            .meaning("any way but anonymous will do"), example: "[password, microsoft.com]"),
        .optional(
            "require_email_verified", .boolean, "`true` to refuse users whose e-mail address is not verified",
            .value("false"),
            example: "true"),
        .optional(
            "max_auth_age", .duration, "the longest time since the user signed in, such as `12h`",
            .meaning("there is no bound"),
            example: "12h"),
        .optional(
            "scope_claims", .texts, "the custom claims that hold scopes, such as `[roles]`",
            .meaning("tokens have no scopes"),
            example: "[roles]"),
        .optional(
            "accept_session_cookies", .boolean, "`true` to accept session cookies as bearer tokens", .value("false"),
            example: "true"),
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let project = reading.firebaseProject()
        let checks = reading.firebaseChecks()
        let maxAge = reading.duration("max_auth_age")
        let scopes = reading.claimPaths("scope_claims") ?? []
        let acceptsCookies = reading.boolean("accept_session_cookies")
        guard let project else { return nil }
        var issuer = TrustedIssuer(
            name: name, identifiers: identifiers(project, acceptsCookies), algorithms: [.rs256], tokenType: .any)
        describe(&issuer, project)
        issuer.claimChecks = checks
        issuer.maxAuthenticationAge = maxAge
        issuer.scopeClaims = scopes
        issuer.refusedIdentifiers = refused(project, acceptsCookies)
        issuer.refuseSlashTwins()
        var profiled = ProfiledIssuer(trusted: issuer, keySets: IndexedBy(keySets(project, acceptsCookies)))
        // Firebase reserves the name `acr`, so not even a custom claim can have it.
        profiled.hasContextClass = false
        profiled.displayClaims = ["name", "picture", "email", "phone_number"]
        return profiled
    }

    private static func tokens(_ project: String) -> String { "https://securetoken.google.com/\(project)" }

    private static func cookies(_ project: String) -> String { "https://session.firebase.google.com/\(project)" }

    private static func identifiers(_ project: String, _ acceptsCookies: Bool) -> [IssuerIdentifier] {
        var cookies = IssuerIdentifier(cookies(project))
        cookies.keySet = 1
        return [IssuerIdentifier(tokens(project))] + (acceptsCookies ? [cookies] : [])
    }

    private static func keySets(_ project: String, _ acceptsCookies: Bool) -> [NamedKeySet] {
        let tokens = KeySetConfiguration(
            source: .jwkSetURL(
                "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"),
            issuer: tokens(project))
        guard acceptsCookies else { return [NamedKeySet(tokens)] }
        let cookies = KeySetConfiguration(
            source: .jwkSetURL("https://identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys"),
            issuer: cookies(project))
        return [NamedKeySet(name: "tokens", tokens), NamedKeySet(name: "session_cookies", cookies)]
    }

    private static func describe(_ issuer: inout TrustedIssuer, _ project: String) {
        issuer.authorizationServers = [tokens(project)]
        issuer.audience = .fixed([project])
        issuer.subject.isRequired = true
        issuer.subject.longest = 128
        issuer.requiresAuthenticationTime = true
        issuer.clientClaims = []
        issuer.organizationClaims = []
        issuer.tenantClaims = [ClaimPath(members: "firebase", "tenant")]
        issuer.hints = FirebaseHints.all
    }

    private static func refused(_ project: String, _ acceptsCookies: Bool) -> [RefusedIssuer] {
        let cookies = RefusedIssuer(
            IssuerIdentifier(cookies(project)), .issuerMismatch,
            hint: "A session cookie. Send the result of user.getIDToken(), or write accept_session_cookies: true.")
        return (acceptsCookies ? [] : [cookies]) + FirebaseHints.refused(project)
    }
}
