import TokenVerification

/// Hints for other tokens that an app with Firebase also has (Google's, Microsoft's, App Check), and what to send
/// instead.
enum FirebaseHints {
    private static let send = "Send the result of user.getIDToken(), not credential.idToken or credential.accessToken."

    static func refused(_ project: String) -> [RefusedIssuer] {
        microsoft + google
            + [
                RefusedIssuer(
                    IssuerIdentifier(template: "", "@\(project).iam.gserviceaccount.com"), .issuerMismatch,
                    hint:
                        "A custom token. The app must exchange it with signIn(withCustomToken:) and send user.getIDToken()."
                ),
                RefusedIssuer(
                    IssuerIdentifier("\(project)@appspot.gserviceaccount.com"), .issuerMismatch,
                    hint:
                        "A custom token. The app must exchange it with signIn(withCustomToken:) and send user.getIDToken()."
                ),
                RefusedIssuer(
                    IssuerIdentifier(template: "https://firebaseappcheck.googleapis.com/", ""), .issuerMismatch,
                    hint:
                        "An App Check token: it speaks of an app, not of a user. Send the result of user.getIDToken()."),
                RefusedIssuer(
                    IssuerIdentifier(template: "https://securetoken.google.com/", ""), .issuerMismatch,
                    hint:
                        "A token of another Firebase project: look at the app's GoogleService-Info.plist and at project_id."
                ),
            ]
    }

    private static var microsoft: [RefusedIssuer] {
        [
            IssuerIdentifier(template: "https://sts.windows.net/", "/"),
            IssuerIdentifier(template: "https://login.microsoftonline.com/", "/v2.0"),
            IssuerIdentifier(template: "https://", ".ciamlogin.com/", "/v2.0"),
        ].map { RefusedIssuer($0, .issuerMismatch, hint: "A Microsoft token. " + send) }
    }

    private static var google: [RefusedIssuer] {
        ["https://accounts.google.com", "accounts.google.com"].map { issuer in
            RefusedIssuer(IssuerIdentifier(issuer), .issuerMismatch, hint: "Google's own ID token. " + send)
        }
    }

    static let all: [IssuerHint] = [
        IssuerHint(
            .opaqueNotSupported, "Not a JWT, perhaps Google's or another identity system's access token. " + send),
        IssuerHint(
            .audienceMismatch, if: .some([ClaimPath(member: "event_type")]),
            "A token that Firebase sends to blocking functions; it is not for clients."),
        IssuerHint(
            .audienceMismatch,
            "The token is of another Firebase project: look at the app's GoogleService-Info.plist and at project_id."),
        IssuerHint(
            .tenantNotAllowed, if: .some([ClaimPath(members: "firebase", "tenant")]),
            "The user belongs to a tenant that is not in tenants. Add its id, or write tenants: any."),
        IssuerHint(
            .tenantNotAllowed,
            "The user belongs to no tenant, and tenants lists those that may come. Set Auth.tenantID in the app."),
        IssuerHint(
            .policyNotAllowed, if: .oneOf(ClaimPath(members: "firebase", "sign_in_provider"), [.string("anonymous")]),
            "An anonymous user. Have the app ask them to sign in, or write allow_anonymous: true."),
        IssuerHint(.policyNotAllowed, "The user signed in by a way that is not in sign_in_providers."),
        IssuerHint(
            .authenticationTooOld, "The user signed in longer ago than max_auth_age. The app must call reauthenticate."),
        IssuerHint(
            .algorithmNotAllowed,
            "Not signed with RS256, perhaps a token of the Auth emulator: those are not signed at all."),
        IssuerHint(
            .unknownKeyID,
            "No kid that Firebase signs with. Custom tokens and the Auth emulator's have none: send user.getIDToken()."),
        IssuerHint(
            .claimInvalid, if: .noneOf(ClaimPath(member: "email_verified"), [.boolean(true)]),
            "The user's e-mail address is not verified, and require_email_verified is set."),
    ]
}
