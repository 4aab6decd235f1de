import ProviderFixtures
import StrictJSON

/// One sample in the list of `GET /samples`.
struct SampleListing: Sendable, Hashable {
    private let id: String
    private let expectedReason: String?
    private let why: String?
    private let variant: String

    /// Entry for the additional opaque token: it is random, and only the introspection endpoint knows its claims.
    static let opaque = SampleListing(
        id: ProviderState.opaque, expectedReason: "opaque_not_supported", why: "no resource was asked for",
        variant: ProviderSetup.standard)

    /// Writes the members of the entry's JSON object.
    func write(with writer: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        writer.member("id", string: id, into: &bytes)
        writer.member("expected", optional: expectedReason, into: &bytes)
        if let why { writer.member("why", string: why, into: &bytes) }
        writer.member("variant", string: variant, into: &bytes)
    }
}

extension SampleListing {
    init(_ sample: SampleToken) {
        self.init(id: sample.id, expectedReason: sample.expectedReason, why: sample.why, variant: sample.variant)
    }
}
