/// The verdict of a policy on a verified token.
public enum Decision: Sendable, Hashable {
    case granted
    case denied(Denial)
}

/// What a valid token lacks.
public enum Denial: Sendable, Hashable, CaseIterable {
    case organizationMismatch
    case insufficientScope
    case roleRequired
    case claimRequired
    case clientRequired
    case authenticationTooWeak
    case authenticationTooOld

    /// Earlier is judged first.
    var judgingOrder: Int {
        switch self {
        case .organizationMismatch: 0
        case .insufficientScope: 1
        case .roleRequired: 2
        case .claimRequired: 3
        case .clientRequired: 4
        case .authenticationTooWeak: 5
        case .authenticationTooOld: 6
        }
    }
}
