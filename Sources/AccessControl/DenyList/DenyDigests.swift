import JOSE
import StrictJSON
import TokenVerification

/// Computes the marks of entries and tokens, keyed with one secret.
public final class DenyDigests: Sendable {
    private let key: TokenDigestKey

    public init(_ key: TokenDigestKey) {
        self.key = key
    }

    /// Digests with this process's key. The key outlives reloads, so that a reloaded list still matches the marks of
    /// cached tokens. Nil only if the cryptographic library failed.
    public static let process = TokenDigestKey().map { DenyDigests($0) }

    /// Keyed digest of an issuer, an attribute and its value, by which the deny list is searched. Never zero. Nil if
    /// the cryptographic library failed.
    public func mark(_ issuer: String, _ attribute: DeniedAttribute, _ value: String) -> UInt64? {
        var bytes: [UInt8] = [attribute.bit]
        bytes.reserveCapacity(issuer.utf8.count + value.utf8.count + 2)
        bytes.append(contentsOf: issuer.utf8)
        // Names of issuers never contain a zero byte, since YAML has none.
        bytes.append(0)
        bytes.append(contentsOf: value.utf8)
        // Zero is reserved for a missing value.
        return key.digest(of: bytes.span).map { max(1, $0.first) }
    }

    /// Marks of a verified token. Nil if the cryptographic library failed.
    public func marks(of token: VerifiedToken) -> DenyMarks? { marks(of: ProvedClaims(token)) }

    /// Marks of a token whose claims the issuer has proved, whether the token is accepted or not. Nil if the
    /// cryptographic library failed.
    public func marks(of token: ProvedClaims) -> DenyMarks? {
        var marks = DenyMarks(issuedAt: token.claims.json[member: "iat"]?.real)
        for attribute in DeniedAttribute.allCases {
            guard let value = attribute.value(in: token) else { continue }
            guard let mark = mark(token.deniedIssuer, attribute, value) else { return nil }
            marks[attribute] = mark
        }
        return marks
    }
}
