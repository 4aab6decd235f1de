/// Reason why a token cannot be judged at present: its key is not available.
public enum UndecidedKey: Sendable, Hashable {
    /// No keys are available, for any token.
    case noKeys
    /// The last fetch of the issuer's keys failed; the issuer may have a key of this ID by now.
    case unanswered
    /// The issuer was not asked about this key ID, and may not be asked at present.
    case notAsked

    /// True if the reason concerns the token's key ID, which the client chose.
    public var isOfKeyID: Bool { self != .noKeys }

    var fault: GatewayFault {
        switch self {
        case .noKeys, .unanswered: .keysUnavailable
        case .notAsked: .keyNotAsked
        }
    }
}
