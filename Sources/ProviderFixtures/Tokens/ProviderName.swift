/// An identity provider whose tokens and key sets are known here, by the name of the profile for it in the gateway's
/// file.
public enum ProviderName: String, Sendable, Hashable, CaseIterable {
    case entraExternal = "entra-external"
    case entraID = "entra-id"
    case azureB2C = "azure-b2c"
    case firebase
    case logto
    case auth0
    case okta
    case keycloak
    case cognito
    case google
    case zitadel
    case authentik
    case gitHubActions = "github-actions"
    case gitLabCI = "gitlab-ci"
    case kubernetes
    case spiffe
}
