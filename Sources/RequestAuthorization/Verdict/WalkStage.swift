import TokenVerification

/// Stages of a request's walk, in order.
public enum WalkStage: Sendable, Hashable, Comparable {
    case path
    case place
    /// CORS: may pages of the request's origin read the response?
    case crossOrigin
    case rule
    /// Are requests of the resource or the rule refused for now?
    case maintenance
    case credentials
    case token(TokenCheck)
    /// Deny list check of the token.
    case denials
    /// The rule's requirements.
    case policy
    case forwarding
    /// Quotas: does the caller have requests left?
    case quotas
}
