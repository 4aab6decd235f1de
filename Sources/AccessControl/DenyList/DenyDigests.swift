import JOSE
import StrictJSON
import TokenVerification

/// Makes the marks of entries and of tokens, under one secret.
public final class DenyDigests: Sendable {
    private let key: TokenDigestKey

    public init(_ key: TokenDigestKey) {
        self.key = key
    }

    /// Digests with this process's key, so that a list read before a reload still fits the marks of cached tokens. Nil
    /// only if the cryptographic library failed.
    public static let process = TokenDigestKey().map { DenyDigests($0) }

    /// Mark of a value. Nil if the library failed.
    public func mark(_ issuer: String, _ attribute: DeniedAttribute, _ value: String) -> UInt64? {
        var bytes: [UInt8] = [attribute.bit]
        bytes.reserveCapacity(issuer.utf8.count + value.utf8.count + 2)
        bytes.append(contentsOf: issuer.utf8)
        // No name of an issuer has a zero in it: YAML has none.
        bytes.append(0)
        bytes.append(contentsOf: value.utf8)
        // Zero means that there is no value.
        return key.digest(of: bytes.span).map { max(1, $0.first) }
    }

    /// The marks of a verified token; nil if the library failed.
    public func marks(of token: VerifiedToken) -> DenyMarks? { marks(of: ProvedClaims(token)) }

    /// The same of a token whose issuer is known to have said this, whether it is good or not.
    public func marks(of token: ProvedClaims) -> DenyMarks? {
        var marks = DenyMarks(issuedAt: token.claims.json[member: "iat"]?.real)
        for attribute in DeniedAttribute.allCases {
            guard let value = attribute.value(in: token) else { continue }
            guard let mark = mark(token.issuer.name, attribute, value) else { return nil }
            marks[attribute] = mark
        }
        return marks
    }
}
