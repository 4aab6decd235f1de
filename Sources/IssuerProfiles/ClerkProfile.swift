import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Profile of Clerk: the session tokens of one instance, or the access tokens of its OAuth applications. By default
/// neither has an `aud`.
enum ClerkProfile: ProfileDefinition {
    static let title = "Clerk"
    static let answersIntrospection = true
    static let mayOmitAudience = true
    static let parameters: [ProfileParameter] = [
        .required(
            "frontend_api", .text, "the Frontend API URL of the instance, such as `https://clerk.example.com`",
            example: "https://clerk.example.com"),
        .optional(
            "tokens", .words(of: TokenWord.self), "`oauth` for access tokens of OAuth applications",
            .value(TokenWord.session.rawValue), example: "oauth"),
        .clients(
            "the origins of the pages that sign in (`azp`), or the ids of the OAuth applications",
            example: "[\"https://app.example.com\"]"),
    ]

    private static let displayClaims: Set<String> = ["name", "username", "email", "picture"]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let main = reading.clerkAPI()
        let word: TokenWord = reading.choice("tokens") ?? .session
        let clients = reading.texts("clients")
        guard let main else { return nil }
        var issuer = TrustedIssuer(
            name: name, identifier: main, algorithms: [.rs256],
            tokenType: word == .oauth ? .accessTokenJWT : .claims(session))
        issuer.clients = clients
        issuer.readClaims(
            scopes: word == .oauth ? [ClaimPath(member: "scope")] : [],
            roles: [RoleClaim(ClaimPath(members: "o", "rol")), RoleClaim(ClaimPath(member: "org_role"))],
            clients: [ClaimPath(member: word == .oauth ? "client_id" : "azp")],
            organizations: [ClaimPath(members: "o", "id"), ClaimPath(member: "org_id")])
        issuer.subject.isRequired = true
        if word == .session { issuer.claimChecks = [IssuerCheck(isActive, else: .claimInvalid)] }
        issuer.refusedIdentifiers = [
            RefusedIssuer(
                IssuerIdentifier(template: "https://", ".clerk.accounts.dev"), .issuerMismatch,
                hint: "A token of another instance, such as the development one. Compare frontend_api.")
        ]
        issuer.hints = word == .oauth ? hintsOfApplications : hintsOfSessions
        var profiled = issuer.profiled(keysAt: main + "/.well-known/jwks.json", showing: displayClaims)
        profiled.hasAuthenticationTime = false
        profiled.hasContextClass = false
        return profiled
    }

    /// Value of `tokens`: the kind of token that apps send.
    private enum TokenWord: String, CaseIterable { case session, oauth }

    /// Tests of a session token. Tokens of JWT templates, machines and OAuth applications have the same issuer and key,
    /// but no session.
    private static let session: [TokenTest] = [
        .claim(ClaimPath(member: "sid"), .someText),
        .absent([
            ClaimPath(member: "client_id"), ClaimPath(member: "nonce"), ClaimPath(member: "at_hash"),
        ]),
    ]

    /// Test of the session's status, `sts`. A pending session is not signed in: the user still has a task to do.
    private static let isActive = TokenTest.any([
        .absent([ClaimPath(member: "sts")]), .exactly(ClaimPath(member: "sts"), [.string("active")]),
    ])

    private static let hintsOfSessions: [IssuerHint] = [
        IssuerHint(
            .notAccessToken,
            "Not a session token: it has no sid, or names an OAuth application. For those write tokens: oauth."),
        IssuerHint(
            .audienceMismatch, if: .claim(ClaimPath(member: "aud"), .noAudience),
            """
            Clerk writes no aud by itself: add one to the claims of the session token (Sessions > Customize session token), or name the \
            page's origin (azp) in without_audience. Tokens of mobile apps have no azp.
            """),
        IssuerHint(.claimInvalid, "The session is pending: the user has not done all that signing in asks for."),
        IssuerHint(.clientNotAllowed, "The page's origin (azp) is not among clients, or the token has none."),
    ]
    private static let hintsOfApplications: [IssuerHint] = [
        IssuerHint(.typeMismatch, "Not an access token of an OAuth application: its typ is not at+jwt."),
        IssuerHint(
            .opaqueNotSupported,
            "An opaque token: switch on Generate access tokens as JWTs in the OAuth application's settings."),
        IssuerHint(
            .audienceMismatch, if: .claim(ClaimPath(member: "aud"), .noAudience),
            "The token names no API: name its OAuth application (client_id) in without_audience."),
        IssuerHint(.clientNotAllowed, "The OAuth application (client_id) is not among clients."),
    ]
}

extension ParameterReading {
    /// Reads `frontend_api`, an origin. Nil if the parameter is absent or invalid; an invalid one is reported.
    fileprivate mutating func clerkAPI() -> String? {
        guard let url = url("frontend_api") else { return nil }
        let origin = "\(url.scheme.rawValue)://\(url.authority)"
        guard url.target.isEmpty else {
            return mistaken("frontend_api", "`\(url.text)` has a path", hint: "write the origin only: `\(origin)`")
        }
        return url.text
    }
}
