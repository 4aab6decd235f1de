import RequestAuthorization
import TokenVerification

extension Explainer {
    /// Checks whether the issuer made a token. Fetches its keys if they are needed.
    func proof(of token: UnverifiedToken, _ bytes: [UInt8], by issuer: IssuerIndex) async -> TokenProof {
        let proof = authorizer.proof(of: token, bytes.span, by: issuer, at: now)
        guard case .wait(let wait) = proof else { return proof }
        let answer = await answer(wait)
        return authorizer.proof(of: token, bytes.span, by: issuer, after: answer, at: now)
    }
}
