extension ProviderName {
    /// The one place that knows which fixture belongs to which name.
    var fixture: any ProviderFixture.Type {
        switch self {
        case .entraExternal: EntraExternalFixture.self
        case .entraID: EntraIDFixture.self
        case .azureB2C: AzureB2CFixture.self
        case .firebase: FirebaseFixture.self
        case .logto: LogtoFixture.self
        case .auth0: Auth0Fixture.self
        case .okta: OktaFixture.self
        case .keycloak: KeycloakFixture.self
        case .cognito: CognitoFixture.self
        case .google: GoogleFixture.self
        case .zitadel: ZITADELFixture.self
        case .authentik: AuthentikFixture.self
        case .gitHubActions: GitHubActionsFixture.self
        case .gitLabCI: GitLabCIFixture.self
        case .kubernetes: KubernetesFixture.self
        case .spiffe: SPIFFEFixture.self
        }
    }

    /// Nil where clients ask for scopes by the names that tokens have.
    public var scopeNaming: ScopeNaming? { fixture.scopeNaming }

    /// Claims that the scopes of an access token stand in, each with all of them.
    public var scopeClaims: [SampleScopeClaim] { fixture.scopeClaims }
}
