import JOSE
import KeySets
import TokenVerification

/// Result of the check whether an issuer made a token, whatever the token's times and audience, and whatever rules ask
/// for.
public enum TokenProof: Sendable {
    /// A key of the issuer signed the token, and may verify it.
    case signed
    /// The token is not proved to be the issuer's.
    case refused(TokenRejection)
    /// The key has to be fetched first. After that, check again with the answer.
    case wait(KeyWait)
    /// The key is not available.
    case undecided
}

extension RequestAuthorizer {
    /// Issuers that the token claims to be of. The claim is not proved. Several if the file names one `iss` more than
    /// once.
    public func issuers(claimedBy token: UnverifiedToken) -> [IssuerIndex] {
        guard let claimed = token.claims.issuer else { return [] }
        return issuers.indexed.compactMap { index, issuer in
            let rules = issuer.verifier.issuer
            guard !token.jws.isPadded || rules.padding == .accepted else { return nil }
            return rules.identifiers.contains { $0.matches(claimed) } ? index : nil
        }
    }

    /// Checks whether a key of the issuer signed the token. Makes the gateway's own checks, in their order.
    ///
    /// - Parameters:
    ///   - token: the parsed form of `bytes`.
    ///   - answer: result of the wait for the key. Nil if there was no wait.
    public func proof(
        of token: UnverifiedToken, _ bytes: Span<UInt8>, by index: IssuerIndex, after answer: KeyAnswer? = nil,
        at now: NumericDate
    ) -> TokenProof {
        guard let issuer = issuers[index] else { return .refused(.issuerMismatch) }
        do throws(TokenRefusal) {
            // Audiences are checked after the signature, and do not matter here.
            let verification = try issuer.verifier.verify(token, bytes, audiences: [], at: now) {
                identifier throws(TokenRejection) -> KeyFinding<TokenProof> in
                switch try issuer.keys(for: token, identifier: identifier, after: answer, at: now) {
                case .found(let keys): .keys(keys)
                case .wait(let place): .missing(.wait(KeyWait(issuer: index, at: place, keyID: token.header.keyID)))
                case .undecided: .missing(.undecided)
                }
            }
            return switch verification {
            case .verified: .signed
            case .undecided(let proof): proof
            }
        } catch {
            return error.signed == nil ? .refused(error.rejection) : .signed
        }
    }
}
