import JOSE
import KeySets
import TokenVerification

/// Profile of ZITADEL: one instance. ID and access tokens have the same audience, so other claims distinguish them.
enum ZITADELProfile: ProfileDefinition {
    static let title = "ZITADEL"
    static let answersIntrospection = true
    static let parameters: [ProfileParameter] = [
        .required(
            "domain", .text, "the instance's domain, such as `example.zitadel.cloud`", example: "example.zitadel.cloud"),
        .optional(
            "org_ids", .texts, "the organizations whose users and grants count",
            .meaning("those of every organization do"),
            example: "[\"280998627474669570\"]"),
        .optional(
            "roles_of_project", .text, "the id of the project whose roles count",
            .meaning("those of the claim `urn:zitadel:iam:org:project:roles` do"),
            example: "\"280998627474669571\""),
        .clients("the ids of the applications that may use the API", example: "[\"280998627474669572\"]"),
    ]

    private static let displayClaims: Set<String> = [
        "name", "given_name", "family_name", "preferred_username", "email",
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let domain = reading.domain("domain")
        let organizations = reading.texts("org_ids")
        let project = reading.text("roles_of_project")
        let clients = reading.texts("clients")
        guard let domain else { return nil }
        let main = "https://\(domain)"
        var issuer = TrustedIssuer(name: name, identifier: main, algorithms: algorithms, tokenType: .claims(kind))
        issuer.clients = clients
        let roles = project.map { ClaimPath(members: "urn:zitadel:iam:org:project:\($0):roles") } ?? rolesOfClient
        issuer.claimChecks =
            organizations.map { [IssuerCheck(.granted(roles: roles, or: owner, in: $0), else: .tenantNotAllowed)] }
            ?? []
        issuer.readClaims(
            roles: [RoleClaim(roles, .memberNames(grantedIn: organizations))],
            clients: [ClaimPath(member: "azp"), ClaimPath(member: "client_id")], tenants: [owner])
        issuer.hints = hints
        var profiled = issuer.profiled(keysAt: main + "/oauth/v2/keys", showing: displayClaims)
        // Access tokens are recognized by the absence of `auth_time`, among other claims.
        profiled.hasAuthenticationTime = false
        if project == nil, clients == nil { profiled.roleWarning = rolesOfAnyProject }
        return profiled
    }

    private static let algorithms: SignatureAlgorithmSet = [.rs256, .rs384, .rs512, .es256, .es384, .es512, .ed25519]
    /// Claim with the roles in the client's project. That need not be the API's project, since any client can request
    /// any audience.
    private static let rolesOfClient = ClaimPath(member: "urn:zitadel:iam:org:project:roles")
    private static let rolesOfAnyProject = """
        write `roles_of_project` (and let apps ask for the scope urn:zitadel:iam:org:projects:roles), or `clients`: otherwise a role of \
        that name in any project of the instance counts
        """
    private static let owner = ClaimPath(member: "urn:zitadel:iam:user:resourceowner:id")

    /// Tests that distinguish access tokens from ID tokens: an access token has `jti` and no claims about the sign-in.
    private static let kind: [TokenTest] = [
        .some([ClaimPath(member: "jti")]),
        .absent([
            ClaimPath(member: "auth_time"), ClaimPath(member: "amr"), ClaimPath(member: "nonce"),
            ClaimPath(member: "at_hash"),
        ]),
    ]

    private static let hints: [IssuerHint] = [
        IssuerHint(.opaqueNotSupported, "An opaque token: set the application's access token type to JWT."),
        IssuerHint(
            .notAccessToken, "An ID token. Send the access token, with the application's access token type set to JWT."),
        IssuerHint(
            .audienceMismatch,
            "The API's project is not in aud: request scope urn:zitadel:iam:org:project:id:<id>:aud, and write that id into audiences."
        ),
        IssuerHint(
            .tenantNotAllowed, "No role is granted in an organization of org_ids, and the user does not belong to one."),
        IssuerHint(.clientNotAllowed, "The application is not among clients."),
    ]
}
