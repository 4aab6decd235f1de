import JOSE
import StrictJSON
import TokenVerification

/// What of a verified token tells the callers of an API apart.
public enum CallerAttribute: Sendable, Hashable {
    case subject
    /// The client that the token was issued to.
    case client
    case tenant
    case organization
    /// A claim that is text, a number or a boolean; of one that is anything else there is no value.
    case claim(ClaimPath)
}

extension CallerAttribute {
    /// Bytes that stand for the value, with the type of a claim: `1`, `"1"` and the subject `1` are different callers.
    /// Nil if the token has none.
    func value(in token: VerifiedToken) -> [UInt8]? {
        switch self {
        case .subject: token.subject.map { Array("s".utf8) + $0.utf8 }
        case .client: token.clientID.map { Array("c".utf8) + $0.utf8 }
        case .tenant: token.tenant.map { Array("t".utf8) + $0.utf8 }
        case .organization: token.organization.map { Array("o".utf8) + $0.utf8 }
        case .claim(let path):
            Self.scalar(path.value(in: token.claims.json)).map { Array("p\(path.description)\0".utf8) + $0 }
        }
    }

    private static func scalar(_ claim: JSONValue?) -> [UInt8]? {
        guard let claim else { return nil }
        switch claim.kind {
        case .string, .integer, .real, .boolean: return claim.serialized()
        case .null, .array, .object: return nil
        }
    }
}
