import AccessControl
import HTTPMessages
import KeySets
import RequestAuthorization
@_spi(AssumedTokens) import TokenVerification

/// Judges requests by a configuration's resources and issuers, with tokens that are taken to be signed.
///
/// Everything else is the verdict of the data path, by its own code: the issuer, the header, whose directory and user
/// flow, times, audience, kind, client, subject, claims, binding, and the rule's requirements. Not known here: which
/// keys an issuer has, and answers about opaque tokens, which are refused. Nothing is fetched, counted or remembered.
public final class AssumedAuthorizer: Sendable {
    /// Issuer whose key signed the token.
    public enum Signer: Sendable, Hashable {
        /// A key of this issuer's; a token that names another issuer is refused.
        case issuer(IssuerIndex)
        /// A key of the issuer that the token names.
        case named
    }

    private let authorizer: RequestAuthorizer

    /// - Throws: if two resources are at the same place.
    public init(
        resources: IndexedBy<ResourceIndex, ProtectedResource>, issuers: IndexedBy<IssuerIndex, TrustedIssuer>
    ) throws(PlaceConflict) {
        let keys = issuers.mapped { issuer in
            IssuerKeys(issuer: issuer, stores: [KeySetStore(KeySetSnapshot(staleLimit: .zero, canWait: false))])
        }
        authorizer = try RequestAuthorizer(resources: resources, issuers: keys)
    }

    /// A stated request's head; its token stands where its resource looks for it.
    public func head(of request: ExplainedRequest, _ limits: HeadLimits) throws(RequestHeadRejection) -> RequestHead {
        try request.head(limits, for: authorizer)
    }

    /// The verdict on a request whose token, if it has one, the signer's key signed.
    public func judge(_ request: inout AuthorizationRequest, signedBy signer: Signer, at now: NumericDate)
        -> AuthorizationOutcome
    {
        authorizer.authorize(&request, assuming: signer.assumed, at: now)
    }

    /// The same verdict, with every step that led to it.
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
