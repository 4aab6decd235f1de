/// Accepted `use` of keys that verify signatures (RFC 7517 §4.2). A key without `use` is always accepted.
public enum KeyUse: String, Sendable, Hashable {
    /// `sig`.
    case signatures = "sig"
    /// `sig`, or `jwt-svid` as in bundles of SPIFFE.
    case signaturesAndJWTSVIDs = "jwt-svid"

    /// Accepted values of `use`, in the order of preference.
    var names: [String] {
        switch self {
        case .signatures: ["sig"]
        case .signaturesAndJWTSVIDs: ["sig", "jwt-svid"]
        }
    }
}
