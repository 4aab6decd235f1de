/// How clients ask a provider for the scopes of its sample API, where that is not by the names that rules have.
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

extension ProviderName {
    /// Nil where clients ask for scopes by the names that tokens have.
    public var scopeNaming: ScopeNaming? {
        switch self {
        case .entraExternal: ScopeNaming(prefix: "api://0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70/", isLeftOutOfTokens: true)
        case .entraID: ScopeNaming(prefix: "api://3a6b8d94-f017-4e2c-9a5b-81d2c70e46f3/", isLeftOutOfTokens: true)
        case .azureB2C: ScopeNaming(prefix: "https://rotkiefer.onmicrosoft.com/tasks-api/", isLeftOutOfTokens: true)
        case .cognito: ScopeNaming(prefix: "orders/", isLeftOutOfTokens: false)
        case .firebase, .logto, .auth0, .okta, .keycloak, .google, .zitadel, .authentik, .gitHubActions, .gitLabCI,
            .kubernetes, .spiffe:
            nil
        }
    }
}
