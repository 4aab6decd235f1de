extension IssuerProfile {
    /// The one place that knows which definition belongs to which name.
    var definition: any ProfileDefinition.Type {
        switch self {
        case .entraExternal: EntraExternalProfile.self
        case .entraID: EntraIDProfile.self
        case .azureB2C: AzureB2CProfile.self
        case .firebase: FirebaseProfile.self
        case .logto: LogtoProfile.self
        case .auth0: Auth0Profile.self
        case .okta: OktaProfile.self
        case .keycloak: KeycloakProfile.self
        case .cognito: CognitoProfile.self
        case .google: GoogleProfile.self
        case .zitadel: ZITADELProfile.self
        case .authentik: AuthentikProfile.self
        case .gitHubActions: GitHubActionsProfile.self
        case .gitLabCI: GitLabCIProfile.self
        case .kubernetes: KubernetesProfile.self
        case .spiffe: SPIFFEProfile.self
        }
    }
}
