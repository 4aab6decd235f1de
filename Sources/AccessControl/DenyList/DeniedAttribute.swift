import StrictJSON
import TokenVerification

/// Attribute of a token by which an entry denies it.
///
/// Never the token's bytes: the same token can be spelled differently.
public enum DeniedAttribute: String, Sendable, Hashable, CaseIterable {
    case tokenID = "jti"
    /// Subject, as in logs and identity headers. For some issuers it is read from another claim than `sub`.
    case subject = "sub"
    case session = "sid"
    /// Client that the token was issued to.
    case client
    /// Value of `kid` in the token's header.
    case keyID = "kid"

    /// Bit of the attribute in a bit set of attributes.
    var bit: UInt8 { 1 &<< UInt8(truncatingIfNeeded: index) }

    /// Makes the attribute with an index from 0 to 4.
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

    /// Index of the attribute in the marks of a token.
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
