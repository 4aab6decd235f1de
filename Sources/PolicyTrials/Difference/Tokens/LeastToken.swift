import AssumedTokens
import ConfigurationFile
import TokenVerification

/// A token with no more in it than it needs to be what was looked for.
struct LeastToken: Hashable {
    let header: TokenHeader
    /// Members of the claims set, in the order in which they are written.
    let members: [StatedMember]

    /// True if it is as the tests want it, which judge it by its text.
    func meets(_ tests: [TokenTest], at now: NumericDate) -> Bool {
        guard let header = header.parsed, let claims = try? ClaimsSet(parsing: StatedValue.object(members).json.span)
        else { return false }
        return tests.allSatisfy { $0.holds(for: claims, header: header, at: now) }
    }

    var compact: String { AssumedToken(header: header.json, claims: StatedValue.object(members).json).compact }
}
