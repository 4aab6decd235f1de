import JOSE
import StrictJSON
import TokenVerification

/// Attribute of a verified token that identifies an API's callers.
public enum CallerAttribute: Sendable, Hashable {
    case subject
    /// The client that the token was issued to.
    case client
    case tenant
    case organization
    /// A claim that is a string, a number or a boolean; any other claim counts as absent.
    case claim(ClaimPath)
}

extension CallerAttribute {
    /// Bytes that identify the value, including a claim's type: `1`, `"1"` and the subject `1` are different callers.
    /// Nil if the token has no such value.
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
