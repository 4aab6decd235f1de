import ProviderFixtures

/// A token made from a sample, and the result that a gateway with the sample's setup must have.
public struct MintedSample: Sendable, Hashable {
    public let token: String
    /// Remaining lifetime in seconds; zero if the token has expired.
    public let expiresIn: Int
    /// Expected reason of the rejection. Nil if the token is accepted, or if changes in the request make the result
    /// unknown.
    public let expectedReason: String?
}
