/// An identity provider with samples. The raw value is the name of its profile in the configuration file.
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
    case hydra
    case clerk
    case googleIAP = "google-iap"
    case cloudflareAccess = "cloudflare-access"
    case firebaseAppCheck = "firebase-app-check"
    case awsALB = "aws-alb"
    case gitHubActions = "github-actions"
    case gitLabCI = "gitlab-ci"
    case kubernetes
    case spiffe
}
