import ProviderFixtures

/// A token, and how a gateway that is set up for the provider's samples answers it.
public struct MintedSample: Sendable, Hashable {
    public let token: String
    /// Seconds; zero if it has expired.
    public let expiresIn: Int
    /// Nil if it is accepted, or if the request changed it so that the answer is unknown.
    public let expectedReason: String?
}
