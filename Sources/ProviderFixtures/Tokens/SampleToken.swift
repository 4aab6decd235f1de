import IssuerProfiles
import StrictJSON

/// A token that a provider gives out, or one that comes close to it and must be refused; not signed yet.
public struct SampleToken: Sendable {
    /// Such as `logto/access`, or `logto-1-id-token` for a near-miss.
    public let id: String
    public let header: JSONValue
    public let payload: JSONValue
    public let signing: SampleSigning
    /// The name of the setup that the sample is judged under; see ``ProviderSetup/variant``.
    public let variant: String
    /// The request that carries it to be judged; the path is below the resource's place.
    public let call: SampleCall
    /// Reason for which a gateway with this setup refuses it. Nil if it accepts it.
    public let expectedReason: String?
    /// Fault of a near-miss, in a few words. Nil for a token that the provider issues.
    public let why: String?

    /// A good time to judge samples at, as they are: ten minutes after they were issued.
    public static let judgedAt = ProviderToken.issuedAt + 600

    /// The payload as if the token had been issued then, in seconds since 1970: all its times move along.
    public func payload(issuedAt time: Int) -> JSONValue {
        SampleTimes.shift(payload, by: time - ProviderToken.issuedAt)
    }

    /// The status of the gateway's answer; if the sample is accepted, the upstream decides.
    public var expectedStatus: Int? {
        expectedReason.map(Self.status)
    }

    /// The status that goes with a reason: a token that is valid but does not suffice is 403, every other one 401.
    static func status(of reason: String) -> Int {
        ["insufficient_scope", "role_required"].contains(reason) ? 403 : 401
    }
}
