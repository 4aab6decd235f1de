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

    /// The stage's name in spans.
    public var label: String {
        switch self {
        case .path: "path"
        case .place: "resource"
        case .crossOrigin: "origin"
        case .rule: "rule"
        case .maintenance: "maintenance"
        case .credentials: "credentials"
        case .token(let check): "token_\(check)"
        case .denials: "deny_list"
        case .policy: "requirements"
        case .forwarding: "forwarding"
        case .quotas: "quotas"
        }
    }
}
