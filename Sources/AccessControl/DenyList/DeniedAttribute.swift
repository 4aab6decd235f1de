import StrictJSON
import TokenVerification

/// By what of a token an entry of a deny list denies it. Never by its bytes: another spelling of them is as good a
/// token.
public enum DeniedAttribute: String, Sendable, Hashable, CaseIterable {
    case tokenID = "jti"
    /// Subject, as logs and identity headers state it: for some issuers another claim than `sub`.
    case subject = "sub"
    case session = "sid"
    /// The client that the token was issued to.
    case client
    /// The `kid` of its header.
    case keyID = "kid"

    /// Its bit in a set of attributes.
    var bit: UInt8 { 1 &<< UInt8(truncatingIfNeeded: index) }

    /// The attribute with this index; there are five.
    init(index: Int) {
        self =
            switch index {
            case 0: .tokenID
            case 1: .subject
            case 2: .session
            case 3: .client
            default: .keyID
            }
    }

    /// Its index among the marks of a token.
    var index: Int {
        switch self {
        case .tokenID: 0
        case .subject: 1
        case .session: 2
        case .client: 3
        case .keyID: 4
        }
    }

    /// The token's value of the attribute. Nil if it has none.
    func value(in token: ProvedClaims) -> String? {
        switch self {
        case .tokenID: token.claims.tokenID
        case .subject: token.subject
        case .session: token.claims.sessionID
        case .client: token.clientID
        case .keyID: token.keyID
        }
    }
}
