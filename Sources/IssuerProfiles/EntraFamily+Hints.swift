import TokenVerification

extension EntraFamily {
    static let scopesHint = """
        The token is for Microsoft Graph: the app asked for no scopes of this API. \
        Set parameters.scopes = ["api://<client id of the API>/<scope>"] before getAccessToken.
        """
    static let versionHint = "Set requestedAccessTokenVersion to 2 in the manifest of the API's app registration."

    /// Hints for mistakes that Entra ID and External ID have in common.
    static let hints: [IssuerHint] = [
        IssuerHint(.foreignResource, scopesHint),
        IssuerHint(.audienceMismatch, if: .oneOf(ClaimPath(member: "aud"), graph), scopesHint),
        IssuerHint(
            .audienceMismatch, if: .some([ClaimPath(member: "scp")]),
            "The token is for another API. If it is this one under another name, write what aud says into the resource's audiences."
        ),
        IssuerHint(
            .audienceMismatch,
            "The token's aud is not this API. Ask for a token with a scope of this API, and send the access token, not the ID token."
        ),
        IssuerHint(.notAccessToken, if: .absent(clientClaims), idTokenHint),
        IssuerHint(
            .notAccessToken, if: .some([ClaimPath(member: "roles")]),
            "An app-only token (client credentials). Write allow_app_only: true if programs may come here without a user."
        ),
        IssuerHint(.notAccessToken, idTokenHint),
        IssuerHint(.versionNotAllowed, versionHint),
        IssuerHint(
            .tenantMismatch,
            "tid and iss do not name the same tenant, or tid is not a GUID. Microsoft never issues such tokens: find out who issued this one."
        ),
        IssuerHint(
            .keyIssuerMismatch,
            "The key signs for another tenant or for personal accounts. Microsoft never issues such tokens: find out who issued this one."
        ),
        IssuerHint(
            .opaqueNotSupported,
            "Not a JWT. Send the access token of a work or customer account, asked for with a scope of this API."),
        IssuerHint(
            .clientNotAllowed, "The app is not among clients. Add its application (client) id if it may use this API."),
    ]

    private static let idTokenHint =
        "An ID token: the app sent idToken in place of accessToken. Register app and API separately, and send the access token."

    private static let graph = ForeignAudience.graphIdentifiers.map { ClaimScalar.string($0) }
}
