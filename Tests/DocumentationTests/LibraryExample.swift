import AccessControl
import JOSE
import TokenVerification

/// Permits requests with a token of one issuer, for one API, with one scope.
struct OrdersGuard {
    private let verifier = TokenVerifier(
        issuer: TrustedIssuer(
            name: "company", identifier: "https://id.example.com", algorithms: [.rs256, .es256],
            tokenType: .accessTokenJWT))
    private let keys: KeySet
    private let policy = AccessPolicy.requiring([.allScopes(["orders:read"])])

    struct NotPermitted: Error {
        let denial: Denial
    }

    /// - Parameter keySet: the issuer's JWK Set, as it publishes it.
    init(keySet: [UInt8]) throws(KeySetRejection) {
        keys = try KeySet(parsing: keySet.span)
    }

    /// The subject of a token that may read orders. Throws `TokenRefusal` for one that is not good, `NotPermitted` for
    /// one that is not enough.
    func subject(of token: String, at now: NumericDate) throws -> String? {
        let bytes = Array(token.utf8)
        let verified = try verifier.verify(
            bytes.span, keys: keys, audiences: ["https://api.example.com/orders"], at: now)
        switch policy.decide(RequirementContext(token: verified, now: now)) {
        case .granted: return verified.subject
        case .denied(let denial, _): throw NotPermitted(denial: denial)
        }
    }
}
