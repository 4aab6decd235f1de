import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Profile of Okta: one custom authorization server. Tokens of the organization's own server can be verified by Okta
/// alone.
enum OktaProfile: ProfileDefinition {
    static let title = "Okta"
    static let answersIntrospection = true
    static let parameters: [ProfileParameter] = [
        .required(
            "issuer", .text,
            "the issuer of a custom authorization server, such as `https://example.okta.com/oauth2/default`",
            example: "https://example.okta.com/oauth2/default"),
        .extraIssuers("`iss` at the organization's other domains", example: "https://login.example.com/oauth2/default"),
        .clients("the ids of the apps that may use the API", example: "[0oa1b2c3d4E5f6g7h8i9]"),
    ]

    private static let displayClaims: Set<String> = ["name", "preferred_username", "email"]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let server = reading.oktaServer()
        let others = reading.extraIssuers()
        let clients = reading.texts("clients")
        guard let server else { return nil }
        let main = server.text
        var issuer = TrustedIssuer(
            name: name, identifiers: ([main] + others).map { IssuerIdentifier($0) }, algorithms: [.rs256],
            tokenType: .claims([.some([ClaimPath(member: "cid")])]))
        issuer.clients = clients
        issuer.readClaims(scopes: [ClaimPath(member: "scp")], clients: [ClaimPath(member: "cid")])
        issuer.refusedIdentifiers = refused("\(server.scheme.rawValue)://\(server.authority)")
        issuer.hints = hints
        return issuer.profiled(keysAt: main + "/v1/keys", showing: displayClaims)
    }

    private static func refused(_ origin: String) -> [RefusedIssuer] {
        [
            RefusedIssuer(
                IssuerIdentifier(origin), .issuerMismatch,
                hint:
                    "A token of the organization's own server, for Okta alone. Get it from a custom one: \(origin)/oauth2/default."
            ),
            RefusedIssuer(
                IssuerIdentifier(template: origin + "/oauth2/", ""), .issuerMismatch,
                hint:
                    "A token of another authorization server of this organization. Set the app's issuer to the one in this file."
            ),
        ]
    }

    private static let hints: [IssuerHint] = [
        IssuerHint(.notAccessToken, "An ID token: it has no cid. Send the access token."),
        IssuerHint(
            .audienceMismatch,
            "aud is the Audience of the authorization server's settings, or this is an ID token. Compare the two."),
        IssuerHint(
            .opaqueNotSupported, "Not a JWT. Get the access token from the custom authorization server of this issuer."),
        IssuerHint(.clientNotAllowed, "The app is not among clients."),
    ]
}

extension ParameterReading {
    fileprivate mutating func oktaServer() -> HTTPURL? {
        guard let url = url("issuer") else { return nil }
        let origin = "\(url.scheme.rawValue)://\(url.authority)"
        let hint = "write the issuer of a custom one, such as `\(origin)/oauth2/default`"
        guard url.target.hasPrefix("/oauth2/"), url.target.utf8.count > 8 else {
            return mistaken("issuer", "`\(url.text)` is not a custom authorization server's", hint: hint)
        }
        guard !url.target.dropFirst(8).contains("/") else {
            return mistaken("issuer", "`\(url.text)` has more segments after the server's id", hint: hint)
        }
        return url
    }
}
