import AssumedTokens
import ConfigurationFile

/// A token with no more in it than it needs to be what was looked for.
struct LeastToken: Hashable {
    let header: TokenHeader
    /// Of the claims set, in the order in which they are written.
    let members: [StatedMember]

    var compact: String { AssumedToken(header: header.json, claims: StatedValue.object(members).json).compact }
}
