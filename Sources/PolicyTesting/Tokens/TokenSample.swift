import ConfigurationFile
import StrictJSON

/// A token of a provider as it gives them out, without a signature.
public struct TokenSample: Sendable {
    let header: JSONValue
    let claims: JSONValue

    /// The names of all that there are: `logto/access`.
    public static let names = all.map(\.name)

    static func named(_ name: String) -> TokenSample? { all.first { $0.name == name }?.sample }

    /// When all of them were issued, in seconds since 1970.
    private static let issuedAt: Int64 = 1_790_000_000
    /// The claims that are times.
    private static let times = ["iat", "nbf", "exp", "auth_time"]

    /// The claims as if the token had been issued then.
    func claims(issuedAt time: Int64) -> StatedObject {
        var claims = StatedObject(claims)
        for name in Self.times {
            guard case .integer(let seconds) = claims[name] else { continue }
            claims.set(name, to: .integer(seconds + time - Self.issuedAt))
        }
        return claims
    }

    private static let limits = JSONLimits(members: 1000, bytes: 1024 * 1024)

    private static let all: [(name: String, sample: TokenSample)] = {
        // The text is a constant of this module, and a test reads all of it.
        guard let document = try? JSONDocument(parsing: Array(data.utf8), limits: Self.limits) else { return [] }
        return document.root.members.compactMap { member in
            guard let header = member.value["header"], let claims = member.value["claims"] else { return nil }
            return (member.name, TokenSample(header: header, claims: claims))
        }
    }()
}
