/// Names by which clients ask a provider for the scopes of its sample API, if they differ from those in rules.
public struct ScopeNaming: Sendable, Hashable {
    /// Stands before the name of each scope of the API in a request.
    public let prefix: String
    /// Whether tokens have the name alone.
    let isLeftOutOfTokens: Bool

    /// Scopes of OpenID Connect (Core 1.0 §5.4, §11), which are no API's.
    private static let openID: Set<String> = ["openid", "profile", "email", "address", "phone", "offline_access"]

    /// Whether the provider knows the scope by that name. It has every scope of its API.
    public func isKnown(_ scope: String) -> Bool {
        Self.openID.contains(scope) || scope.hasPrefix(prefix) && scope != prefix
    }

    /// The scopes of a token for those of a request.
    public func inToken(_ scopes: [String]) -> [String] {
        guard isLeftOutOfTokens else { return scopes }
        return scopes.filter { $0.hasPrefix(prefix) }.map { scope in String(scope.dropFirst(prefix.count)) }
    }
}
