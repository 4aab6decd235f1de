import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Profile of Amazon Cognito: one user pool. Access tokens have no `aud`; the app client takes its place.
enum CognitoProfile: ProfileDefinition {
    static let title = "Amazon Cognito"
    static let parameters: [ProfileParameter] = [
        .required(
            "user_pool_id", .text, "the user pool's id, such as `eu-north-1_Ab12Cd34E`", example: "eu-north-1_Ab12Cd34E"
        ),
        .required(
            "client_ids", .texts, "the ids of the app clients that may use the API",
            example: "[3n4b5urk1ft4fl3mg5e62d9ado]"),
        .optional(
            "resource_server", .text, "the identifier of the resource server, which stands before each scope",
            .meaning("scopes are compared whole"), example: "shop"),
    ]

    private static let displayClaims: Set<String> = ["username", "name", "email", "phone_number"]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let pool = reading.cognitoPool()
        let clients = reading.texts("client_ids")
        let server = reading.resourceServer()
        guard let pool, let clients else { return nil }
        let main = "https://cognito-idp.\(pool.region).amazonaws.com/\(pool.id)"
        var issuer = TrustedIssuer(
            name: name, identifier: main, algorithms: [.rs256],
            tokenType: .claims([.exactly(ClaimPath(member: "token_use"), [.string("access")])]))
        issuer.clients = clients
        issuer.audience = .client
        issuer.readClaims(
            scopes: [ClaimPath(member: "scope")], roles: [RoleClaim(ClaimPath(member: "cognito:groups"))],
            clients: [ClaimPath(member: "client_id")])
        issuer.scopePrefix = server.map { $0 + "/" } ?? ""
        issuer.scopeTemplate = ScopeTemplate(prefix: issuer.scopePrefix)
        issuer.hints = hints
        var profiled = issuer.profiled(keysAt: main + "/.well-known/jwks.json", showing: displayClaims)
        profiled.hasContextClass = false
        return profiled
    }

    private static let hints: [IssuerHint] = [
        IssuerHint(.notAccessToken, "An ID token: token_use is not access. Send the access token."),
        IssuerHint(.clientNotAllowed, "The app client is not in client_ids."),
        IssuerHint(
            .audienceMismatch,
            "The token has an aud, and it is neither this API nor one of client_ids: it was made for another API."),
        IssuerHint(.opaqueNotSupported, "Not a JWT. Send the access token of the user pool, not AWS credentials."),
    ]
}

extension ParameterReading {
    /// Reads `resource_server`, the identifier as the console shows it. The slash between the identifier and each scope
    /// is not part of it. Nil if the parameter is absent or invalid; an invalid one is reported.
    fileprivate mutating func resourceServer() -> String? {
        guard let text = text("resource_server") else { return nil }
        guard text.hasSuffix("/") else { return text }
        return mistaken(
            "resource_server", "`\(text)` ends with a slash", hint: "write it without the slash: `\(text.dropLast())`")
    }

    /// Reads `user_pool_id`, in the form `<region>_<id>`. The region is part of the host in `iss`. Nil if the parameter
    /// is absent or invalid; an invalid one is reported.
    fileprivate mutating func cognitoPool() -> (id: String, region: String)? {
        guard let text = text("user_pool_id") else { return nil }
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isRegion(parts[0]), Self.isPoolName(parts[1]) else {
            let hint =
                "write the id as the console shows it, such as `eu-north-1_Ab12Cd34E`, not its ARN or its name"
            return mistaken("user_pool_id", "`\(text)` is not a user pool id", hint: hint)
        }
        return (text, String(parts[0]))
    }

    /// True for two letters, optionally `gov`, a direction and one digit, such as `us-gov-west-1`.
    private static func isRegion(_ text: Substring) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 4 && parts[1].elementsEqual("gov".utf8), parts[0].count == 2 else {
            return false
        }
        guard let number = parts.last, number.count == 1, number.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return false
        }
        return parts.dropLast().allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x61...0x7A).contains($0) } }
    }

    private static func isPoolName(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) }
    }
}
