import PolicyOracle

/// A row of a table in `docs/policy.md`, as a request to a file.
struct DocumentedCase: CustomStringConvertible, Sendable {
    let table: String
    let policy: Policy
    let request: Request
    let answer: Answer

    var description: String { "\(table): \(request.shown)" }

    // MARK: Answers

    static let issuer = Issuer("company", "https://id.example.com", .any)
    static let forwarded = Answer.forwarded(issuer: issuer.identifier)
    static let forwardedAsNobodys = Answer.forwarded(issuer: nil)

    static func refused(_ reason: Reason) -> Answer { .refused(status: reason.status, reason: reason.rawValue) }

    // MARK: Files

    /// A file with one resource at all paths and these rules.
    static func policy(_ rules: [Rule]) -> Policy {
        Policy(issuers: [issuer], resources: [Resource("api", at: ["/"], issuers: ["company"], rules: rules)])
    }

    /// A file in which `GET /**` requires these parts.
    static func policy(_ parts: [Part]) -> Policy { policy([Rule("GET /**", .needing(.mapping(parts)))]) }

    // MARK: Tokens

    /// A valid token for the resource `api`, with more claims.
    static func token(_ claims: [String: JSON] = [:], audience: String = "api") -> Credentials {
        let own: [String: JSON] = [
            "iss": .text(issuer.identifier), "aud": .text(audience), "sub": .text("s"),
            "iat": .integer(PolicyGenerator.now - 60), "exp": .integer(PolicyGenerator.now + 300),
        ]
        return .token(
            Token(
                header: ["alg": .text("RS256"), "kid": .text("k")], claims: own.merging(claims) { _, given in given }))
    }
}
