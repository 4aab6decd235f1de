import JOSE

/// Test of a token's protected header.
public enum HeaderTest: Sendable, Hashable {
    /// `alg` names at least one of these algorithms.
    case algorithm(SignatureAlgorithmSet)
    /// `typ` is the media type of an access token (RFC 9068 §2.1). Case does not matter, and `application/` may be left
    /// out (RFC 7515 §4.1.9).
    case accessTokenType
    /// `kid` is present.
    case keyID
    /// `kid` is one of these.
    case keyIDAmong(Set<String>)
    /// A `nonce` is present. It marks a token that only its platform can verify.
    case nonce
    /// The member is exactly one of these texts.
    case statement(HeaderStatement.Member, [String])

    public func holds(for header: ProtectedHeader) -> Bool {
        switch self {
        case .algorithm(let algorithms): !(header.algorithm?.algorithms.intersection(algorithms).isEmpty ?? true)
        case .accessTokenType: ["at+jwt", "application/at+jwt"].contains(header.type?.lowercased())
        case .keyID: header.keyID != nil
        case .keyIDAmong(let names): header.keyID.map(names.contains) ?? false
        case .nonce: header.hasNonce
        case .statement(let member, let texts):
            header.statement[member].map { text in texts.contains { $0.utf8.elementsEqual(text.utf8) } } ?? false
        }
    }
}
