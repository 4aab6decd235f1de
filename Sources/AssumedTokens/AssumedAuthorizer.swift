import AccessControl
import HTTPMessages
import KeySets
import RequestAuthorization
@_spi(AssumedTokens) import TokenVerification

/// Decides on requests by a configuration's resources and issuers, with tokens that are assumed to be signed.
///
/// All other checks run in the code of the data path: issuer, header, directory and user flow, times, audience, token
/// type, client, subject, claims, binding, and the rule's requirements. The keys of issuers and introspection are not
/// available here, so opaque tokens are refused. Nothing is fetched, counted or cached.
public final class AssumedAuthorizer: Sendable {
    /// The issuer whose key is assumed to have signed the token.
    public enum Signer: Sendable, Hashable {
        /// The given issuer. A token that names another issuer is refused.
        case issuer(IssuerIndex)
        /// The issuer that the token names.
        case named
    }

    private let authorizer: RequestAuthorizer

    /// - Throws: if two resources are at the same place.
    public init(
        resources: IndexedBy<ResourceIndex, ProtectedResource>, issuers: IndexedBy<IssuerIndex, TrustedIssuer>
    ) throws(PlaceConflict) {
        let keys = issuers.mapped { issuer in
            IssuerKeyStores(issuer: issuer, stores: [KeySetStore(KeySetSnapshot(staleLimit: .zero, canWait: false))])
        }
        authorizer = try RequestAuthorizer(resources: resources, issuers: keys)
    }

    /// Builds the head of a described request. The token is put into the field in which its resource expects it.
    public func head(of request: ExplainedRequest, _ limits: HeadLimits) throws(RequestHeadRejection) -> RequestHead {
        try request.head(limits, for: authorizer)
    }

    /// Decides on a request. Its token, if any, is assumed to be signed by the signer's key.
    public func judge(_ request: inout AuthorizationRequest, signedBy signer: Signer, at now: NumericDate)
        -> AuthorizationOutcome
    {
        authorizer.authorize(&request, assuming: signer.assumed, at: now)
    }

    /// Decides on a request like `judge` and returns every step that led to the decision.
    public func explain(_ request: inout AuthorizationRequest, signedBy signer: Signer, at now: NumericDate)
        -> Explanation
    {
        authorizer.explain(&request, assuming: signer.assumed, at: now)
    }
}

extension AssumedAuthorizer.Signer {
    fileprivate var assumed: AssumedSigner {
        switch self {
        case .issuer(let issuer): AssumedSigner(AssumedSignature(), issuer: issuer)
        case .named: AssumedSigner(AssumedSignature(), issuer: nil)
        }
    }
}
