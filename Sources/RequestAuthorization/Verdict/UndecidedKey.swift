/// Why a token cannot be judged at present: its key is not at hand.
public enum UndecidedKey: Sendable, Hashable {
    /// There are no keys to judge any token by.
    case noKeys
    /// The issuer was asked last without an answer, and may have a key of this ID by now.
    case unanswered
    /// Nobody has asked the issuer about a key of this ID, and nobody may at present.
    case notAsked

    /// Whether it is for the token's key ID, which its client chose.
    public var isOfKeyID: Bool { self != .noKeys }

    var fault: GatewayFault {
        switch self {
        case .noKeys, .unanswered: .keysUnavailable
        case .notAsked: .keyNotAsked
        }
    }
}
