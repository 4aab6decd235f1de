import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Profile of Firebase App Check: its token proves which app sends a request, not who uses the app.
enum FirebaseAppCheckProfile: ProfileDefinition {
    static let title = "Firebase App Check"
    static let tokenHeader: String? = "X-Firebase-AppCheck"
    static let parameters: [ProfileParameter] = [
        .required(
            "project_number", .text, "the project's number, from the project settings", example: "441100223344"),
        .optional(
            "apps", .texts, "the ids of the apps that may use the API", .meaning("every app of the project may"),
            example: "[\"1:441100223344:ios:9f0c\"]"),
    ]

    private static let app = ClaimPath(member: "sub")

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let project = reading.projectNumber()
        let apps = reading.texts("apps")
        guard let project else { return nil }
        var issuer = TrustedIssuer(
            name: name, identifier: "https://firebaseappcheck.googleapis.com/\(project)", algorithms: [.rs256],
            tokenType: .any)
        issuer.audience = .fixed(["projects/\(project)"])
        issuer.clients = apps
        issuer.subject.isRequired = true
        issuer.readClaims(roles: [], clients: [app])
        issuer.refusedIdentifiers = [
            RefusedIssuer(
                IssuerIdentifier(template: "https://firebaseappcheck.googleapis.com/", ""), .issuerMismatch,
                hint: "A token of another project. Compare project_number."),
            RefusedIssuer(
                IssuerIdentifier(template: "https://securetoken.google.com/", ""), .issuerMismatch,
                hint: "A user's ID token: it belongs to an issuer with profile: firebase, in Authorization."),
        ]
        issuer.hints = [
            IssuerHint(.clientNotAllowed, "The app (sub) is not among apps."),
            IssuerHint(.audienceMismatch, "The token is of another project: compare project_number."),
        ]
        var profiled = issuer.profiled(keysAt: "https://firebaseappcheck.googleapis.com/v1/jwks", showing: [])
        profiled.hasAuthenticationTime = false
        profiled.hasContextClass = false
        return profiled
    }
}

extension ParameterReading {
    /// Reads `project_number`. Nil if the parameter is absent or invalid; an invalid one is reported.
    fileprivate mutating func projectNumber() -> String? {
        guard let text = text("project_number") else { return nil }
        guard text.utf8.allSatisfy({ ASCII.isDigit($0) }) else {
            return mistaken(
                "project_number", "`\(text)` is not a number: that is the project id",
                hint: "write the project number of the project settings, such as `441100223344`")
        }
        return text
    }
}
