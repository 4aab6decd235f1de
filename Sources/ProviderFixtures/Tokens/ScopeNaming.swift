/// Names by which clients request the scopes of a provider's sample API, if they differ from those in rules.
public struct ScopeNaming: Sendable, Hashable {
    /// Prefix of each scope of the API in a token request.
    public let prefix: String
    /// Whether tokens contain the scopes without the prefix.
    let isLeftOutOfTokens: Bool

    /// Scopes of OpenID Connect (Core 1.0 §5.4, §11), which belong to no API.
    private static let openID: Set<String> = ["openid", "profile", "email", "address", "phone", "offline_access"]

    /// Whether the provider accepts this scope in a token request: a scope of OpenID Connect, or any with the API's
    /// prefix.
    public func isKnown(_ scope: String) -> Bool {
        Self.openID.contains(scope) || scope.hasPrefix(prefix) && scope != prefix
    }

    /// Scopes in the token that is issued for these requested scopes.
    public func inToken(_ scopes: [String]) -> [String] {
        guard isLeftOutOfTokens else { return scopes }
        return scopes.filter { $0.hasPrefix(prefix) }.map { scope in String(scope.dropFirst(prefix.count)) }
    }
}
