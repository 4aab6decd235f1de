import StrictJSON

/// A realistic token of an identity system, without its signature.
///
/// Policy tests treat it as verified; development code signs it.
public struct ProviderToken: Sendable {
    /// Name of the identity system, a slash and the kind of token, such as `logto/access`.
    public let name: String
    public let header: JSONValue
    public let claims: JSONValue

    /// Value of `iat` in all of these tokens: 2026-09-21T14:13:20Z.
    public static let issuedAt = 1_790_000_000
    /// Names of the claims that are times (RFC 7519 §4.1; OpenID Connect Core §2).
    public static let times = ["iat", "nbf", "exp", "auth_time"]

    private static let limits = JSONLimits(members: 1000, bytes: 1024 * 1024)

    public static let all: [ProviderToken] = {
        // The text is a constant of this module, and a test reads all of it.
        guard let document = try? JSONDocument(parsing: Array(data.utf8), limits: Self.limits) else { return [] }
        return document.root.members.compactMap { member in
            guard let header = member.value["header"], let claims = member.value["claims"] else { return nil }
            return ProviderToken(name: member.name, header: header, claims: claims)
        }
    }()

    /// Names of all sample tokens.
    public static let names = all.map(\.name)

    public static func named(_ name: String) -> ProviderToken? { all.first { $0.name == name } }
}
