import JOSE
import StrictJSON

/// Verifies one issuer's access tokens.
///
/// `verify` is the product in one function; the gateway walks the same stages with a key set that may have to be waited for.
///
/// The order is the cheapest and most telling check first, and it decides which reason a token with several faults gets:
///
/// 1. compact form, base64url, header, `alg`, claims' JSON (`UnverifiedToken`)
/// 2. `iss`: before any key is looked at, since it decides whose keys count
/// 3. header rules of the issuer: `typ`, `kid`, its list of algorithms
/// 4. the key, and whether key and algorithm belong together
/// 5. the signature: by far the dearest check, so the last that needs no trust in the claims
/// 6. times, then audience, then kind of token, subject, binding: all of them claims that are proved by now
///
/// Not checked here: scopes, roles, clients and other policy; revocation; whether the token was seen before.
public struct TokenVerifier: Sendable, Hashable {
    public let issuer: TrustedIssuer

    public init(issuer: TrustedIssuer) {
        self.issuer = issuer
    }

    /// Every check, in order. `audiences` are the identifiers of the protected resource; with none, no token passes.
    public func verify(
        _ token: Span<UInt8>, keys: KeySet, audiences: [String], at now: NumericDate
    ) throws(TokenRejection) -> VerifiedToken {
        let unverified = try UnverifiedToken(token)
        try judgeIssuer(of: unverified)
        try judgeHeader(of: unverified)
        guard let key = try key(for: unverified, in: keys) else { throw .unknownKeyID }
        let signed = try judgeSignature(of: unverified, token, with: key)
        return try judgeClaims(of: signed, audiences: audiences, at: now)
    }

    /// Stage 2: `iss` is this issuer's identifier, byte for byte (RFC 9068 §4, RFC 8725 §3.8).
    public func judgeIssuer(of token: UnverifiedToken) throws(TokenRejection) {
        guard token.claims.json[member: "iss"]?.isString(equalTo: issuer.identifier) == true else { throw .issuerMismatch }
    }

    /// Stage 3: what the issuer's tokens must say about themselves before a key is looked for.
    public func judgeHeader(of token: UnverifiedToken) throws(TokenRejection) {
        if issuer.tokenType == .accessTokenJWT, !Self.isAccessTokenType(token.header.type) { throw .typeMismatch }
        if token.header.keyID == nil, !issuer.allowsMissingKeyID { throw .unknownKeyID }
        guard !token.algorithm.algorithms.intersection(issuer.algorithms).isEmpty else { throw .algorithmNotAllowed }
    }

    /// Stage 4: the one key that may have signed the token; nil if the set does not have it.
    ///
    /// A key that is there but of another type, curve or `alg` is the token's fault, and no newer set would mend it.
    public func key(for token: UnverifiedToken, in keys: KeySet) throws(TokenRejection) -> SelectedKey? {
        guard let keyID = token.header.keyID else {
            let allowed = issuer.deniedKeyIDs.isEmpty ? keys : keys.removing(keyIDs: issuer.deniedKeyIDs)
            guard let (key, algorithm) = allowed.soleKey(for: token.algorithm), issuer.algorithms.contains(algorithm) else { return nil }
            return SelectedKey(key: key, algorithm: algorithm)
        }
        guard !issuer.deniedKeyIDs.contains(keyID) else { throw .unknownKeyID }
        switch keys.key(keyID: keyID, algorithm: token.algorithm) {
        case .found(let key, let algorithm):
            guard issuer.algorithms.contains(algorithm) else { throw .algorithmNotAllowed }
            return SelectedKey(key: key, algorithm: algorithm)
        case .notForAlgorithm: throw .algorithmNotAllowed
        case .unknownKeyID: return nil
        }
    }

    /// Stage 5: the signature is the key's, over exactly the bytes received.
    ///
    /// - Parameter bytes: the bytes that `token` was made from.
    public func judgeSignature(
        of token: UnverifiedToken, _ bytes: Span<UInt8>, with selected: SelectedKey
    ) throws(TokenRejection) -> SignedToken {
        guard let signature = Base64URL.decode(bytes.extracting(token.jws.signature)) else { throw .malformed }
        let signingInput = bytes.extracting(token.jws.signingInput)
        let verdict = selected.key.verify(signature: signature.span, signingInput: signingInput, algorithm: selected.algorithm)
        if let rejection = TokenRejection(verdict) { throw rejection }
        return SignedToken(issuer: issuer, claims: token.claims, keyID: token.header.keyID)
    }

    /// Stage 6: what the signed claims say, judged now and for this resource. Every request needs it, also with a known token.
    public func judgeClaims(of token: SignedToken, audiences: [String], at now: NumericDate) throws(TokenRejection) -> VerifiedToken {
        let expiration = try judgeTimes(of: token.claims, at: now)
        guard token.claims.isAddressed(to: audiences) else { throw .audienceMismatch }
        try judgeKind(of: token.claims)
        let subject = try token.claims.subject()
        if let tokenID = token.claims.json[member: "jti"], tokenID.kind != .string { throw .claimInvalid }
        // A token bound to its holder's key is worthless to anyone else, so it must not work as a plain bearer token.
        guard token.claims.json[member: "cnf"] == nil else { throw .boundToken }
        return VerifiedToken(token, expiration: expiration, subject: subject)
    }

    /// `exp`, `nbf` and `iat` against `now`, with the issuer's leeway (RFC 7519 §4.1.4–4.1.6).
    private func judgeTimes(of claims: ClaimsSet, at now: NumericDate) throws(TokenRejection) -> NumericDate {
        guard let expiration = try claims.date("exp"), expiration <= .latest else { throw .claimInvalid }
        guard now < expiration + issuer.leeway else { throw .expired }
        for notBefore in [try claims.date("nbf"), try claims.date("iat")] {
            guard let notBefore else { continue }
            guard notBefore.seconds >= 0, notBefore <= expiration else { throw .claimInvalid }
            guard notBefore <= now + issuer.leeway else { throw .notYetValid }
        }
        if let maxLifetime = issuer.maxLifetime {
            let start = try claims.date("iat") ?? now
            guard expiration <= start + maxLifetime else { throw .claimInvalid }
        }
        return expiration
    }

    private func judgeKind(of claims: ClaimsSet) throws(TokenRejection) {
        guard case .claim(let path, let values) = issuer.tokenType else { return }
        guard let claim = path.value(in: claims.json) else { throw .notAccessToken }
        guard values.contains(where: { $0.isHeld(by: claim) }) else { throw .notAccessToken }
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

    public init(key: VerificationKey, algorithm: SignatureAlgorithm) {
        self.key = key
        self.algorithm = algorithm
    }
}
