import StrictJSON

/// A token as an identity system gives it out, without its signature.
///
/// Tests of a policy take them for granted; development code signs them.
public struct ProviderToken: Sendable {
    /// The identity system, a slash and the kind of token: `logto/access`.
    public let name: String
    public let header: JSONValue
    public let claims: JSONValue

    /// The second at which all of them were issued (`iat`): 2026-09-21T14:13:20Z.
    public static let issuedAt = 1_790_000_000
    /// The claims that are times (RFC 7519 §4.1; OpenID Connect Core §2).
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

    /// The names of all that there are.
    public static let names = all.map(\.name)

    public static func named(_ name: String) -> ProviderToken? { all.first { $0.name == name } }
}
