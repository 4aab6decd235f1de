import JOSE

/// Verifies one issuer's access tokens.
///
/// ``verify(_:_:audiences:at:key:)`` is the one order of the checks, ``TokenCheck``: the gateway, `explain` and the
/// tests call it. A class, because every token that it lets through refers to its rules. Not checked here: scopes,
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
        // A name may be both: some issuers take thumbprints for IDs.
        let decoded = issuer.deniedKeys.compactMap { Base64URL.decode($0) }
        deniedThumbprints = Set(decoded.filter { $0.count == VerificationKey.thumbprintByteCount })
    }

    /// Verifies a token with the keys at hand. `audiences` are the identifiers of the protected resource; with none, no
    /// token passes.
    ///
    /// - Parameter keys: the issuer's key set; for an issuer with several, the first of them.
    public func verify(
        _ token: Span<UInt8>, keys: KeySet, audiences: [String], at now: NumericDate
    ) throws(TokenRefusal) -> VerifiedToken {
        let unverified: UnverifiedToken
        do {
            unverified = try UnverifiedToken(token)
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

    /// Every check, in order.
    ///
    /// - Parameters:
    ///   - token: what `bytes` were taken apart into.
    ///   - findKey: the keys that may have signed the token, asked for when their turn has come.
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
            return .verified(try judgeClaims(of: proof, audiences: audiences, at: now, &progress), keySet)
        } catch {
            throw TokenRefusal(
                error, progress.check, claims: token.claims, signed: signed, missed: progress.missed,
                signatures: progress.signatures)
        }
    }

    /// `iss` is one of this issuer's identifiers, byte for byte (RFC 9068 §4, RFC 8725 §3.8).
    private func judgeIssuer(of token: UnverifiedToken) throws(TokenRejection) -> IssuerIdentifier {
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

    /// Reason for rejecting a token with a refused `iss`. A token made for another service is reported as that, because
    /// it tells more than the wrong `iss`.
    public func refusal(of token: UnverifiedToken, _ refused: RefusedIssuer) -> TokenRejection {
        issuer.marksForeignTokensByNonce && token.header.hasNonce ? .foreignResource : refused.rejection
    }

    /// Key set of the issuer whose keys should have signed a token. Nil if its claims do not say.
    public func keySet(for token: UnverifiedToken, identifier: IssuerIdentifier) -> KeySetIndex? {
        guard case .policy(let rule) = issuer.keyBinding else { return identifier.keySet }
        return rule.keySet(of: token.claims)
    }

    /// The keys that may have signed the token: the one that it names, or where names are missing those that fit. Nil
    /// if the set has none.
    ///
    /// A key that is there but of another type, curve or `alg` is the token's fault, and no newer set would mend it.
    ///
    /// - Parameter keySet: which of the issuer's key sets `keys` is.
    public func keys(for token: UnverifiedToken, in keys: KeySet, keySet: KeySetIndex = 0) throws(TokenRejection)
        -> CandidateKeys?
    {
        guard let keyID = token.header.keyID else { return try unnamedKeys(for: token, in: [(keySet, keys)]) }
        if let key = try key(keyID, for: token, in: keys, keySet: keySet) { return CandidateKeys(key) }
        return keys.hasKeyIDs ? nil : try unnamedKeys(for: token, in: [(keySet, keys)])
    }

    /// The key of that ID; nil if the set has none.
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

    /// The keys of all these sets together that fit a token, whatever they are called; nil where only names count, and
    /// if none fits.
    ///
    /// More than ``CandidateKeys/most`` are none: then nobody can say which it was without trying them all.
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

    /// Whether the key is never used, whatever the issuer publishes.
    public func isDenied(_ key: VerificationKey) -> Bool {
        key.keyID.map(issuer.deniedKeys.contains) ?? false || deniedThumbprints.contains(key.thumbprint)
    }

    /// The key whose signature it is, over exactly the bytes received.
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
        // A failure of the library says nothing about the token, so the other keys are no answer.
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
    /// None is needed: it is known that a key of the issuer's, which may vouch for it, signed exactly this token.
    case known
    /// A key of the issuer is assumed to have signed the token; the signature is not checked.
    case assumed(AssumedSignature)
    /// The key is not available now, which says nothing about the token.
    case missing(Missing)
}

/// The outcome of verifying a token that was not refused.
public enum Verification<Missing> {
    /// The key set is that of the key that signed it; nil where no signature was checked.
    case verified(VerifiedToken, KeySetIndex?)
    /// The token could not be judged, because its key is missing.
    case undecided(Missing)
}
