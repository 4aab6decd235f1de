import JOSE
import KeySets
import TokenVerification

/// Profile of authentik: one application. Its access token is its ID token with two more claims, `uid` and `azp`.
enum AuthentikProfile: ProfileDefinition {
    static let title = "authentik"
    static let answersIntrospection = true
    static let parameters: [ProfileParameter] = [
        .required(
            "host", .text, "the server's domain, such as `authentik.example.com`", example: "authentik.example.com"),
        .required("application_slug", .text, "the application's slug, as it stands in its address", example: "shop"),
        .optional(
            "issuer_mode", .words(of: IssuerMode.self), "`per_provider` or `global`, as the provider is set",
            .value("per_provider"),
            example: "global"),
        .clients("the client ids that may use the API", example: "[web-app]"),
    ]

    private static let displayClaims: Set<String> = ["name", "given_name", "nickname", "preferred_username", "email"]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let host = reading.domain("host")
        let slug = reading.word(
            "application_slug", also: "-_", hint: "write the slug alone, the last part of the application's address")
        let mode = reading.choice("issuer_mode") ?? IssuerMode.perProvider
        let clients = reading.texts("clients")
        guard let host, let slug else { return nil }
        let application = "https://\(host)/application/o/\(slug)/"
        let main = mode == .global ? "https://\(host)/" : application
        var issuer = TrustedIssuer(
            name: name, identifier: main, algorithms: [.rs256, .es256, .es384, .es512],
            tokenType: .claims([.some([ClaimPath(member: "uid")]), .some([ClaimPath(member: "azp")])]))
        issuer.authorizationServers = [application]
        issuer.clients = clients
        issuer.readClaims(scopes: [ClaimPath(member: "scope")], clients: [ClaimPath(member: "azp")])
        issuer.refusedIdentifiers = refused(host, application, mode)
        issuer.hints = hints
        return issuer.profiled(keysAt: application + "jwks/", showing: displayClaims)
    }

    /// Value of `issuer_mode`: each application is an issuer, or the server is one issuer for all applications.
    private enum IssuerMode: String, CaseIterable {
        case perProvider = "per_provider"
        case global
    }

    private static func refused(_ host: String, _ application: String, _ mode: IssuerMode) -> [RefusedIssuer] {
        let otherMode =
            switch mode {
            case .perProvider:
                RefusedIssuer(
                    IssuerIdentifier("https://\(host)/"), .issuerMismatch,
                    hint:
                        "authentik names itself as issuer, not the application. Write issuer_mode: global, or change the issuer mode there."
                )
            case .global:
                RefusedIssuer(
                    IssuerIdentifier(application), .issuerMismatch,
                    hint:
                        "authentik names the application as issuer. Write issuer_mode: per_provider, or change the issuer mode there."
                )
            }
        let otherApplication = RefusedIssuer(
            IssuerIdentifier(template: "https://\(host)/application/o/", "/"), .issuerMismatch,
            hint: "A token of another application. Sign in at the application named in application_slug.")
        return [otherMode, otherApplication]
    }

    private static let hints: [IssuerHint] = [
        IssuerHint(.notAccessToken, "An ID token: it has no uid. Send the access token."),
        IssuerHint(
            .algorithmNotAllowed,
            "Signed with the client secret (HS256), which nobody else can verify: choose a signing key for the application in authentik."
        ),
        IssuerHint(
            .audienceMismatch,
            "aud is the client id of the application that signed in; write that into the resource's audiences."),
        IssuerHint(.clientNotAllowed, "The client (azp) is not among clients."),
    ]
}
