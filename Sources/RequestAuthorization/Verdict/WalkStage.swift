import TokenVerification

/// The stages of one request's walk, in the order in which they are passed.
public enum WalkStage: Sendable, Hashable, Comparable {
    case path
    case place
    /// Whether pages of the request's origin may read the answer.
    case crossOrigin
    case rule
    case credentials
    case token(TokenCheck)
    /// Whether the deny list names the token.
    case denials
    /// The rule's requirements.
    case policy
    case forwarding
    /// Whether the caller has requests left.
    case quotas
}
