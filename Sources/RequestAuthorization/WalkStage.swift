/// The stages of one request's walk, in the order in which they are passed.
public enum WalkStage: Int, Sendable, Hashable, CaseIterable, Comparable {
    case path
    case place
    case rule
    case credentials
    /// The token's compact form, header and claims as JSON.
    case form
    /// An opaque token's issuer is asked.
    case introspection
    case issuer
    /// What the issuer asks of the token's header.
    case header
    case key
    case signature
    /// Times, audience, kind, subject and binding.
    case claims
    /// The rule's requirements.
    case policy
    case forwarding

    public static func < (left: WalkStage, right: WalkStage) -> Bool {
        left.rawValue < right.rawValue
    }
}
