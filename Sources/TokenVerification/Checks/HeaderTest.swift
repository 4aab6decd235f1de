import JOSE

/// One test of a token's protected header.
public enum HeaderTest: Sendable, Hashable {
    /// `alg` may be one of these.
    case algorithm(SignatureAlgorithmSet)
    /// `typ` is that of an access token, a media type: without regard to case, and `application/` may be left out
    /// (RFC 7515 §4.1.9, RFC 9068 §2.1).
    case accessTokenType
    /// `kid` is there.
    case keyID
    /// `kid` is one of these.
    case keyIDAmong(Set<String>)
    /// A `nonce` marks a token that only its platform can verify.
    case nonce

    public func holds(for header: ProtectedHeader) -> Bool {
        switch self {
        case .algorithm(let algorithms): !(header.algorithm?.algorithms.intersection(algorithms).isEmpty ?? true)
        case .accessTokenType: ["at+jwt", "application/at+jwt"].contains(header.type?.lowercased())
        case .keyID: header.keyID != nil
        case .keyIDAmong(let names): header.keyID.map(names.contains) ?? false
        case .nonce: header.hasNonce
        }
    }
}
