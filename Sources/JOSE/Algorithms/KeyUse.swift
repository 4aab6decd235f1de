/// What the `use` of a set's keys may be that verify signatures (RFC 7517 §4.2); one without `use` always may.
public enum KeyUse: String, Sendable, Hashable {
    /// `sig`.
    case signatures = "sig"
    /// That, or `jwt-svid`, as the bundles of SPIFFE have it.
    case signaturesAndJWTSVIDs = "jwt-svid"

    /// In the order of preference.
    var names: [String] {
        switch self {
        case .signatures: ["sig"]
        case .signaturesAndJWTSVIDs: ["sig", "jwt-svid"]
        }
    }
}
