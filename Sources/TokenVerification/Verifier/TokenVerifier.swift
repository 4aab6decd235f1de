import JOSE
import StrictJSON

/// Verifies one issuer's access tokens.
///
/// ``verify(_:_:audiences:at:key:)`` makes all checks, in the order of ``TokenCheck``. The gateway, `explain` and the
/// tests call it. A class, because every verified token refers to the rules of its verifier. Not checked here: scopes,
/// roles and other policy; revocation; whether the token was seen before.
public final class TokenVerifier: Sendable {
    public let issuer: TrustedIssuer
    /// Thumbprints of denied keys.
    private let deniedThumbprints: Set<[UInt8]>
    private let headerChecks: [IssuerCheck]
    let kindChecks: [IssuerCheck]
    let clientChecks: [IssuerCheck]

    public init(issuer: TrustedIssuer) {
        self.issuer = issuer
        headerChecks = issuer.headerChecks
        kindChecks = issuer.kindChecks
        clientChecks = issuer.clientChecks
        // An entry may be both a key ID and a thumbprint: some issuers use thumbprints as IDs.
        let decoded = issuer.deniedKeys.compactMap { Base64URL.decode($0) }
        deniedThumbprints = Set(decoded.filter { $0.count == VerificationKey.thumbprintByteCount })
    }

    /// The scopes in the claims of a token of the issuer, in its order and as rules name them.
    public func scopes(in claims: ClaimsSet) -> [String] { issuer.scopes(in: claims) }

    /// Verifies a token with the given keys. `audiences` are the identifiers of the protected resource; if empty, no
    /// token passes.
    ///
    /// - Parameter keys: the issuer's key set. For an issuer with several, the first one.
    public func verify(
        _ token: Span<UInt8>, keys: KeySet, audiences: [String], at now: NumericDate
    ) throws(TokenRefusal) -> VerifiedToken {
        let unverified: UnverifiedToken
        do {
            unverified = try UnverifiedToken(token, padding: issuer.padding)
        } catch {
            throw TokenRefusal(error, .form)
        }
        let verification = try verify(unverified, token, audiences: audiences, at: now) {
            _ throws(TokenRejection) -> KeyFinding<Never> in
            guard let keys = try self.keys(for: unverified, in: keys) else { throw .unknownKeyID }
            return .keys(keys)
        }
        switch verification {
        case .verified(let token, _): return token
        }
    }

    /// Makes every check, in order.
    ///
    /// - Parameters:
    ///   - token: the parsed form of `bytes`.
    ///   - findKey: returns the keys that may have signed the token. Called after the checks of issuer and header.
    public func verify<Missing>(
        _ token: UnverifiedToken, _ bytes: Span<UInt8>, audiences: [String], at now: NumericDate,
        key findKey: (IssuerIdentifier) throws(TokenRejection) -> KeyFinding<Missing>
    ) throws(TokenRefusal) -> Verification<Missing> {
        var progress = TokenProgress(check: .issuer)
        var signed: SignedToken?
        var keySet: KeySetIndex?
        do throws(TokenRejection) {
            let identifier = try judgeIssuer(of: token)
            progress.check = .header
            try judge(token.claims, headerChecks, header: token.header)
            progress.check = .key
            switch try findKey(identifier) {
            case .missing(let missing): return .undecided(missing)
            case .known: break
            case .assumed: try judgeAssumedKey(of: token, identifier: identifier, &progress)
            case .keys(let keys):
                progress.check = .signature
                let key = try signer(of: token, bytes, among: keys, &progress)
                keySet = key.keySet
                progress.check = .origin
                let tenant = try issuer.directory?.tenant(of: token.claims, identifier: identifier)
                try issuer.keyBinding.judge(key, identifier: identifier, claims: token.claims, tenant: tenant)
            }
            let proof = SignedToken(verifier: self, claims: token.claims, keyID: token.header.keyID)
            signed = proof
            let verified = try judgeClaims(of: proof, audiences: audiences, at: now, &progress)
            if issuer.signerRule != nil { try judgeRepeatedExpiration(of: token, &progress) }
            return .verified(verified, keySet)
        } catch {
            throw TokenRefusal(
                error, progress.check, claims: token.claims, signed: signed, missed: progress.missed,
                signatures: progress.signatures)
        }
    }

    /// Checks that `iss` is one of this issuer's identifiers, byte for byte (RFC 9068 §4, RFC 8725 §3.8).
    private func judgeIssuer(of token: UnverifiedToken) throws(TokenRejection) -> IssuerIdentifier {
        guard let claimed = token.claims.issuer else { throw .issuerMismatch }
        guard let identifier = issuer.identifiers.first(where: { $0.matches(claimed) }) else {
            throw refusal(of: claimed).map { refusal(of: token, $0) } ?? .issuerMismatch
        }
        return identifier
    }

    /// The refused identifier that matches an `iss`. Nil if none does.
    public func refusal(of claimed: String) -> RefusedIssuer? {
        issuer.refusedIdentifiers.first { $0.identifier.matches(claimed) }
    }

    /// Reason for rejecting a token with a refused `iss`. If the token was made for another service, that is the
    /// reason, because it is more helpful than the wrong `iss`.
    public func refusal(of token: UnverifiedToken, _ refused: RefusedIssuer) -> TokenRejection {
        issuer.marksForeignTokensByNonce && token.header.hasNonce ? .foreignResource : refused.rejection
    }

    /// Checks that the header and the claims agree on `exp` if both have it (RFC 7519 §5.3).
    private func judgeRepeatedExpiration(of token: UnverifiedToken, _ progress: inout TokenProgress)
        throws(TokenRejection)
    {
        switch token.header.statement.expiration {
        case .absent: return
        case .at(let seconds) where token.claims.json[member: "exp"]?.real == seconds: return
        case .at, .notNumber:
            progress.check = .times
            throw .claimInvalid
        }
    }

    /// Index of the issuer's key set that should contain the token's key. Nil if the claims do not name it.
    public func keySet(for token: UnverifiedToken, identifier: IssuerIdentifier) -> KeySetIndex? {
        guard case .policy(let rule) = issuer.keyBinding else { return identifier.keySet }
        return rule.keySet(of: token.claims)
    }

    /// The keys that may have signed the token: the key with its `kid`, or those that fit if key IDs are missing. Nil
    /// if the set has none.
    ///
    /// Throws if the key is present but of another type, curve or `alg`: the token is invalid, and a newer key set
    /// would not help.
    ///
    /// - Parameter keySet: the index of `keys` among the issuer's key sets.
    public func keys(for token: UnverifiedToken, in keys: KeySet, keySet: KeySetIndex = 0) throws(TokenRejection)
        -> CandidateKeys?
    {
        guard let keyID = token.header.keyID else { return try unnamedKeys(for: token, in: [(keySet, keys)]) }
        if let key = try key(keyID, for: token, in: keys, keySet: keySet) { return CandidateKeys(key) }
        return keys.hasKeyIDs ? nil : try unnamedKeys(for: token, in: [(keySet, keys)])
    }

    /// The key with this ID. Nil if the set has none.
    public func key(
        _ keyID: String, for token: UnverifiedToken, in keys: KeySet, keySet: KeySetIndex
    ) throws(TokenRejection) -> SelectedKey? {
        guard !issuer.deniedKeys.contains(keyID) else { throw .unknownKeyID }
        switch keys.key(keyID: keyID, algorithm: token.algorithm) {
        case .found(let key, let algorithm):
            guard issuer.algorithms.contains(algorithm) else { throw .algorithmNotAllowed }
            guard !isDenied(key) else { throw .unknownKeyID }
            return SelectedKey(key: key, algorithm: algorithm, keySet: keySet)
        case .notForAlgorithm: throw .algorithmNotAllowed
        case .unknownKeyID: return nil
        }
    }

    /// The keys in all these sets that fit a token, regardless of their IDs. Nil if none fits, or if the issuer
    /// requires key IDs.
    ///
    /// Throws if more than ``CandidateKeys/most`` fit: only trying them all would find the right one.
    public func unnamedKeys(
        for token: UnverifiedToken, in sets: [(KeySetIndex, KeySet)]
    ) throws(TokenRejection) -> CandidateKeys? {
        guard issuer.allowsMissingKeyID else { return nil }
        var seen: Set<[UInt8]> = []
        var fitting: [SelectedKey] = []
        for (index, set) in sets {
            for key in set.keys where !isDenied(key) {
                guard let algorithm = token.algorithm.resolved(for: key.algorithms),
                    issuer.algorithms.contains(algorithm),
                    seen.insert(key.thumbprint).inserted
                else { continue }
                fitting.append(SelectedKey(key: key, algorithm: algorithm, keySet: index))
            }
        }
        if fitting.isEmpty { return nil }
        guard let candidates = CandidateKeys(fitting) else { throw .unknownKeyID }
        return candidates
    }

    /// True if the key is never used, even if the issuer publishes it.
    public func isDenied(_ key: VerificationKey) -> Bool {
        key.keyID.map(issuer.deniedKeys.contains) ?? false || deniedThumbprints.contains(key.thumbprint)
    }

    /// Finds the key with which the signature over exactly the received bytes is valid.
    private func signer(
        of token: UnverifiedToken, _ bytes: Span<UInt8>, among keys: CandidateKeys, _ progress: inout TokenProgress
    ) throws(TokenRejection) -> SelectedKey {
        guard let signature = Base64URL.decode(bytes.extracting(token.jws.signature)) else { throw .malformed }
        let signingInput = bytes.extracting(token.jws.signingInput)
        if try isSigner(keys.first, of: signingInput, signature.span, &progress) { return keys.first }
        for key in keys.others {
            if try isSigner(key, of: signingInput, signature.span, &progress) { return key }
        }
        throw .badSignature
    }

    private func isSigner(
        _ selected: SelectedKey, of signingInput: Span<UInt8>, _ signature: Span<UInt8>, _ progress: inout TokenProgress
    ) throws(TokenRejection) -> Bool {
        progress.signatures += 1
        let verdict = selected.key.verify(
            signature: signature, signingInput: signingInput, algorithm: selected.algorithm)
        guard let rejection = TokenRejection(verdict) else { return true }
        // A failure of the library says nothing about the token, so the other keys are not tried.
        guard rejection == .badSignature else { throw rejection }
        return false
    }
}

extension TokenRejection {
    /// Rejection for the result of a signature check. Nil if the signature is valid. A failure of libcrypto says
    /// nothing about the token.
    init?(_ verdict: SignatureVerdict) {
        switch verdict {
        case .valid: return nil
        case .invalid: self = .badSignature
        case .unavailable: self = .verificationUnavailable
        }
    }
}

/// The outcome of looking up a token's key.
public enum KeyFinding<Missing> {
    case keys(CandidateKeys)
    /// No key is needed: an earlier check showed that a key of the issuer, which may verify the token, signed exactly
    /// these bytes.
    case known
    /// The signature is not checked: a key of the issuer is assumed to have signed the token.
    case assumed(AssumedSignature)
    /// The key is not available now. This says nothing about the token.
    case missing(Missing)
}

/// The outcome of verifying a token that was not rejected.
public enum Verification<Missing> {
    /// The verified token, and the key set of the key that signed it. The key set is nil if no signature was checked.
    case verified(VerifiedToken, KeySetIndex?)
    /// The token could not be verified, because its key is not available.
    case undecided(Missing)
}
