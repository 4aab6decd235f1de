import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Profile of Logto: access tokens for API resources in the form of RFC 9068, and for organizations.
enum LogtoProfile: ProfileDefinition {
    static let title = "Logto"
    static let answersIntrospection = true
    static let parameters: [ProfileParameter] = [
        .required(
            "endpoint", .text, "the endpoint without `/oidc`, such as `https://auth.example.com`",
            example: "https://auth.example.com"),
        .extraIssuers(
            "`iss` at the tenant's other domains, such as `https://<tenant>.logto.app/oidc`",
            example: "https://x7k2p1.logto.app/oidc"),
        .optional(
            "organization", .words(of: OrganizationWord.self),
            "`optional` if an organization's tokens also open rules that ask for none",
            .meaning("such tokens open only rules with `organization`"), example: "optional"),
        .optional("allow_m2m", .boolean, "`false` to refuse machine-to-machine apps", .value("true"), example: "false"),
        .clients("the ids of the apps that may use the API", example: "[x7k2p1m9q4w8e5r6t3y0u]"),
    ]

    private static let displayClaims: Set<String> = [
        "name", "username", "picture", "email", "phone_number", "custom_data", "identities",
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let endpoint = reading.logtoEndpoint()
        let others = reading.extraIssuers(ending: "/oidc")
        let use: OrganizationWord? = reading.choice("organization")
        let allowsMachines = reading.boolean("allow_m2m", default: true)
        let clients = reading.texts("clients")
        guard let endpoint else { return nil }
        let main = endpoint + "/oidc"
        var issuer = TrustedIssuer(
            name: name, identifiers: ([main] + others).map { IssuerIdentifier($0) },
            algorithms: [.es384, .rs256, .es256, .es512],
            tokenType: .accessTokenJWT)
        describe(&issuer)
        issuer.clients = clients
        issuer.organizationUse = use == .optional ? .anywhere : .onlyWhereAsked
        issuer.claimChecks = allowsMachines ? [] : people
        var profiled = issuer.profiled(keysAt: main + "/jwks", showing: displayClaims)
        // Logto's access tokens contain nothing about the sign-in.
        profiled.hasAuthenticationTime = false
        profiled.hasContextClass = false
        return profiled
    }

    /// The only value of `organization`: rules themselves state whether they require one.
    private enum OrganizationWord: String, CaseIterable { case optional }

    private static let subject = ClaimPath(member: "sub")
    private static let client = ClaimPath(member: "client_id")

    /// Checks that reject machine-to-machine apps. A machine's token has the client as its subject; the introspection
    /// response for its opaque token has no subject.
    private static let people = [
        IssuerCheck(.some([subject]), else: .clientNotAllowed),
        IssuerCheck(.different(subject, client), else: .clientNotAllowed),
    ]

    private static func describe(_ issuer: inout TrustedIssuer) {
        issuer.readClaims(
            scopes: [ClaimPath(member: "scope")], clients: [client],
            organizations: [ClaimPath(member: "organization_id")])
        issuer.organizationAudiencePrefix = "urn:logto:organization:"
        issuer.hints = hints
        issuer.organizationHint = organizationHint
    }

    private static let organizationHint = """
        The token has no organization, another one, or one although the rule requires none. Request it with the \
        organization id of the request: getAccessToken(for: resource, organizationId: id). To let such tokens open \
        other rules, write organization: optional.
        """

    private static let hints: [IssuerHint] = [
        IssuerHint(
            .opaqueNotSupported,
            "An opaque token, which only userinfo accepts: request the token with resource=<this API's indicator>."
        ),
        IssuerHint(
            .typeMismatch,
            "An ID token or logout token: its typ is not at+jwt. Send the result of getAccessToken(for: resource)."),
        IssuerHint(
            .audienceMismatch, if: .absent([ClaimPath(member: "organization_id")]),
            """
            The token is for another resource. Request it with resource=<this API's indicator>, spelled as in Logto to the last slash; \
            for an API resource of an organization add the organization id.
            """),
        IssuerHint(
            .audienceMismatch,
            "The token is for another resource. Request it with resource=<this API's indicator>, spelled as in Logto."),
        IssuerHint(
            .clientNotAllowed, if: .some([client]),
            "The app is not among clients, or it is a machine-to-machine app (sub equals client_id) and allow_m2m is false."
        ),
        IssuerHint(
            .unknownKeyID,
            "No key of the tenant has this kid. After two rotations within a token's lifetime the first key is gone: get a new token."
        ),
    ]
}

extension ParameterReading {
    /// Reads `endpoint`, in the form that the SDKs use. A path or final slash is an error instead of being cut off, so
    /// that the file shows the value that is used. Nil if the parameter is absent or invalid; an invalid one is
    /// reported.
    fileprivate mutating func logtoEndpoint() -> String? {
        guard let url = url("endpoint") else { return nil }
        let origin = "\(url.scheme.rawValue)://\(url.authority)"
        switch url.target {
        case "": return origin
        case "/":
            return mistaken(
                "endpoint", "`\(url.text)` ends with a slash", hint: "write it without the slash: `\(origin)`")
        case "/oidc", "/oidc/":
            return mistaken("endpoint", "`\(url.text)` has `/oidc`", hint: "write it without `/oidc`: `\(origin)`")
        default: return mistaken("endpoint", "`\(url.text)` has a path", hint: "write the endpoint only: `\(origin)`")
        }
    }
}
