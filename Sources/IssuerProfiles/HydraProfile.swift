import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Profile of Ory Hydra with JWT access tokens (`strategies.access_token: jwt`), and of Ory Network. Its tokens have an
/// `aud` only if the app asks for one.
enum HydraProfile: ProfileDefinition {
    static let title = "Ory Hydra"
    static let answersIntrospection = true
    static let mayOmitAudience = true
    static let parameters: [ProfileParameter] = [
        .required(
            "issuer", .text, "the `iss` of its tokens (`urls.self.issuer`), to the last slash",
            example: "https://id.example.com/"),
        .clients("the ids of the clients that may use the API", example: "[web-app]"),
    ]

    private static let displayClaims: Set<String> = [
        "name", "given_name", "family_name", "preferred_username", "email",
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let url = reading.url("issuer")
        let clients = reading.texts("clients")
        guard let main = url?.text else { return nil }
        var issuer = TrustedIssuer(
            name: name, identifier: main, algorithms: [.rs256, .es256], tokenType: .claims(kind))
        issuer.clients = clients
        issuer.readClaims(
            scopes: [ClaimPath(member: "scp"), ClaimPath(member: "scope")], clients: [ClaimPath(member: "client_id")])
        issuer.hints = hints
        let base = main.hasSuffix("/") ? String(main.dropLast()) : main
        var profiled = issuer.profiled(keysAt: base + "/.well-known/jwks.json", showing: displayClaims)
        // Access tokens are recognized by the absence of `auth_time`, among other claims.
        profiled.hasAuthenticationTime = false
        return profiled
    }

    /// Tests that distinguish access tokens from ID tokens: an access token names its client in `client_id`, and has no
    /// claims about the sign-in.
    private static let kind: [TokenTest] = [
        .claim(ClaimPath(member: "client_id"), .someText),
        .absent([
            ClaimPath(member: "auth_time"), ClaimPath(member: "rat"), ClaimPath(member: "nonce"),
            ClaimPath(member: "at_hash"),
        ]),
    ]

    private static let hints: [IssuerHint] = [
        IssuerHint(
            .opaqueNotSupported,
            "An opaque token: set strategies.access_token: jwt, or introspect it at Hydra's admin port."),
        IssuerHint(.notAccessToken, "An ID token: it has no client_id. Send the access token."),
        IssuerHint(
            .audienceMismatch, if: .claim(ClaimPath(member: "aud"), .noAudience),
            """
            Hydra writes aud only if the app asks for one: have it send audience=<this API> when it signs in, and list the audience at \
            its client; or name the client in without_audience.
            """),
        IssuerHint(
            .audienceMismatch, if: .absent([ClaimPath(member: "client_id")]),
            "An ID token: its aud is the app. Send the access token."),
        IssuerHint(
            .audienceMismatch, "The token is for another API. Have the app ask for this one: audience=<this API>."),
        IssuerHint(.clientNotAllowed, "The client (client_id) is not among clients."),
    ]
}
