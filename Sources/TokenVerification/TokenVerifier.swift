import JOSE
import TypedIndices

/// Verifies one issuer's access tokens.
///
/// `verify` is the product in one function; the gateway walks the same stages with a key set that may have to be waited for.
///
/// The order is the cheapest and most telling check first, and it decides which reason a token with several faults gets:
///
/// 1. compact form, base64url, header, `alg`, claims' JSON (`UnverifiedToken`)
/// 2. `iss`: before any key is looked at, since it decides whose keys count
/// 3. header rules of the issuer: tokens of other services, `typ`, `kid`, its list of algorithms
/// 4. the key, and whether key and algorithm belong together
/// 5. the signature: by far the dearest check, so the last that needs no trust in the claims
/// 6. what the key may vouch for: the tenant, the key's own issuer, the user flow
/// 7. times, then audience, then kind of token, client, subject, what else its issuer's tokens must say, and binding to a holder
///
/// A reference, because every token that it lets through refers to its rules. Not checked here: scopes, roles and other policy;
/// revocation; whether the token was seen before.
public final class TokenVerifier: Sendable {
    public let issuer: TrustedIssuer

    public init(issuer: TrustedIssuer) {
        self.issuer = issuer
    }

    /// Every check, in order. `audiences` are the identifiers of the protected resource; with none, no token passes.
    ///
    /// - Parameter keys: the issuer's key set; for an issuer with several, the first of them.
    public func verify(
        _ token: Span<UInt8>, keys: KeySet, audiences: [String], at now: NumericDate
    ) throws(TokenRejection) -> VerifiedToken {
        let unverified = try UnverifiedToken(token)
        let identifier = try judgeIssuer(of: unverified)
        try judgeHeader(of: unverified)
        guard let key = try key(for: unverified, in: keys) else { throw .unknownKeyID }
        let signed = try judgeSignature(of: unverified, token, with: key, identifier: identifier)
        return try judgeClaims(of: signed, audiences: audiences, at: now)
    }

    /// Stage 2: `iss` is one of this issuer's identifiers, byte for byte (RFC 9068 §4, RFC 8725 §3.8).
    @discardableResult
    public func judgeIssuer(of token: UnverifiedToken) throws(TokenRejection) -> IssuerIdentifier {
        guard let claimed = token.claims.issuer else { throw .issuerMismatch }
        guard let identifier = issuer.identifiers.first(where: { $0.matches(claimed) }) else {
            throw refusal(of: claimed).map { refusal(of: token, $0) } ?? .issuerMismatch
        }
        return identifier
    }

    /// The refused identifier that an `iss` is, if it is one.
    public func refusal(of claimed: String) -> RefusedIssuer? {
        issuer.refusedIdentifiers.first { $0.identifier.matches(claimed) }
    }

    /// What a token with a refused `iss` is refused for: that it was made for another service tells more than where it comes from.
    public func refusal(of token: UnverifiedToken, _ refused: RefusedIssuer) -> TokenRejection {
        isForeign(token) ? .foreignResource : refused.rejection
    }

    private func isForeign(_ token: UnverifiedToken) -> Bool {
        issuer.marksForeignTokensByNonce && token.header.hasNonce
    }

    /// Stage 3: what the issuer's tokens must say about themselves before a key is looked for.
    public func judgeHeader(of token: UnverifiedToken) throws(TokenRejection) {
        if isForeign(token) { throw .foreignResource }
        if issuer.tokenType == .accessTokenJWT, !Self.isAccessTokenType(token.header.type) { throw .typeMismatch }
        if token.header.keyID == nil, !issuer.allowsMissingKeyID { throw .unknownKeyID }
        guard !token.algorithm.algorithms.intersection(issuer.algorithms).isEmpty else { throw .algorithmNotAllowed }
    }

    /// Which key set of the issuer a token should be signed from; nil if its claims do not say.
    public func keySet(for token: UnverifiedToken, identifier: IssuerIdentifier) -> KeySetIndex? {
        guard case .policy(let rule) = issuer.keyBinding else { return identifier.keySet }
        return rule.keySet(of: token.claims)
    }

    /// Stage 4: the one key that may have signed the token; nil if the set does not have it.
    ///
    /// A key that is there but of another type, curve or `alg` is the token's fault, and no newer set would mend it.
    ///
    /// - Parameter keySet: which of the issuer's key sets `keys` is.
    public func key(for token: UnverifiedToken, in keys: KeySet, keySet: KeySetIndex = 0) throws(TokenRejection) -> SelectedKey? {
        guard let keyID = token.header.keyID else {
            let allowed = issuer.deniedKeyIDs.isEmpty ? keys : keys.removing(keyIDs: issuer.deniedKeyIDs)
            guard let (key, algorithm) = allowed.soleKey(for: token.algorithm), issuer.algorithms.contains(algorithm) else { return nil }
            return SelectedKey(key: key, algorithm: algorithm, keySet: keySet)
        }
        guard !issuer.deniedKeyIDs.contains(keyID) else { throw .unknownKeyID }
        switch keys.key(keyID: keyID, algorithm: token.algorithm) {
        case .found(let key, let algorithm):
            guard issuer.algorithms.contains(algorithm) else { throw .algorithmNotAllowed }
            return SelectedKey(key: key, algorithm: algorithm, keySet: keySet)
        case .notForAlgorithm: throw .algorithmNotAllowed
        case .unknownKeyID: return nil
        }
    }

    /// Stages 5 and 6: the signature is the key's, over exactly the bytes received, and the key may vouch for what they say.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that `token` was made from.
    ///   - identifier: the one that ``judgeIssuer(of:)`` found.
    public func judgeSignature(
        of token: UnverifiedToken, _ bytes: Span<UInt8>, with selected: SelectedKey, identifier: IssuerIdentifier
    ) throws(TokenRejection) -> SignedToken {
        guard let signature = Base64URL.decode(bytes.extracting(token.jws.signature)) else { throw .malformed }
        let signingInput = bytes.extracting(token.jws.signingInput)
        let verdict = selected.key.verify(signature: signature.span, signingInput: signingInput, algorithm: selected.algorithm)
        if let rejection = TokenRejection(verdict) { throw rejection }
        let tenant = try issuer.directory?.tenant(of: token.claims, identifier: identifier)
        try issuer.keyBinding.judge(selected, identifier: identifier, claims: token.claims, tenant: tenant)
        return SignedToken(verifier: self, claims: token.claims, keyID: token.header.keyID)
    }

    /// `at+jwt` as a media type: case counts for nothing, and `application/` may be left out (RFC 7515 §4.1.9, RFC 9068 §2.1).
    private static func isAccessTokenType(_ type: String?) -> Bool {
        switch type?.lowercased() {
        case "at+jwt", "application/at+jwt": true
        default: false
        }
    }
}

extension TokenRejection {
    /// What a signature's verdict means for its token; nil if it is good. That libcrypto failed says nothing about the token.
    init?(_ verdict: SignatureVerdict) {
        switch verdict {
        case .valid: return nil
        case .invalid: self = .badSignature
        case .unavailable: self = .verificationUnavailable
        }
    }
}

/// A key, and the one algorithm it is to be used with.
public struct SelectedKey: Sendable {
    public let key: VerificationKey
    public let algorithm: SignatureAlgorithm
    /// Which of the issuer's key sets it is from.
    public let keySet: KeySetIndex

    public init(key: VerificationKey, algorithm: SignatureAlgorithm, keySet: KeySetIndex = 0) {
        self.key = key
        self.algorithm = algorithm
        self.keySet = keySet
    }
}
