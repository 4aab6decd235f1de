import AssumedTokens
import ConfigurationFile
import TokenVerification

/// The smallest token that meets the tests of a search: it has only the claims that it needs.
struct LeastToken: Hashable {
    let header: TokenHeader
    /// Members of the claims set, in the order in which they are written.
    let members: [StatedMember]

    /// True if the token meets the tests, judged by its serialized text.
    func meets(_ tests: [TokenTest], at now: NumericDate) -> Bool {
        guard let header = header.parsed, let claims = try? ClaimsSet(parsing: StatedValue.object(members).json.span)
        else { return false }
        return tests.allSatisfy { $0.holds(for: claims, header: header, at: now) }
    }

    var compact: String { AssumedToken(header: header.json, claims: StatedValue.object(members).json).compact }
}
