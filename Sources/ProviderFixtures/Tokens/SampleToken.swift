import IssuerProfiles
import StrictJSON

/// A token that a provider issues, or a near-miss of one that must be rejected. It is not signed yet.
public struct SampleToken: Sendable {
    /// Name such as `logto/access`, or `logto-1-id-token` for a near-miss.
    public let id: String
    public let header: JSONValue
    public let payload: JSONValue
    public let signing: SampleSigning
    /// Name of the setup that the sample is judged under; see ``ProviderSetup/variant``.
    public let variant: String
    /// Request that carries the token. Its path is relative to the resource's place.
    public let call: SampleCall
    /// Reason for which a gateway with this setup rejects the request. Nil if it is forwarded.
    public let expectedReason: String?
    /// Short description of a near-miss's fault. Nil for a token that the provider issues.
    public let why: String?

    /// Suitable time to judge unshifted samples, in seconds since 1970: ten minutes after they were issued.
    public static let judgedAt = ProviderToken.issuedAt + 600

    /// The payload with all times shifted, as if the token had been issued at this time, in seconds since 1970.
    public func payload(issuedAt time: Int) -> JSONValue {
        SampleTimes.shift(payload, by: time - ProviderToken.issuedAt)
    }

    /// The header with its time shifted like those of the payload, if it has one.
    public func header(issuedAt time: Int) -> JSONValue {
        SampleTimes.shift(header, by: time - ProviderToken.issuedAt)
    }

    /// Expected status of the gateway's own response. Nil if the request is forwarded, since the upstream then decides.
    public var expectedStatus: Int? {
        expectedReason.map(Self.status)
    }

    /// Status for a rejection reason: 403 for a valid token that is not sufficient, 401 for any other reason.
    static func status(of reason: String) -> Int {
        ["insufficient_scope", "role_required"].contains(reason) ? 403 : 401
    }
}
