extension ProviderName {
    /// The fixture of this provider. Nothing else maps names to fixtures.
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
        case .hydra: HydraFixture.self
        case .clerk: ClerkFixture.self
        case .gitHubActions: GitHubActionsFixture.self
        case .gitLabCI: GitLabCIFixture.self
        case .kubernetes: KubernetesFixture.self
        case .spiffe: SPIFFEFixture.self
        }
    }

    /// Names by which clients request scopes. Nil if they are the names that tokens contain.
    public var scopeNaming: ScopeNaming? { fixture.scopeNaming }

    /// Claims that contain the scopes of an access token. Each contains all of them.
    public var scopeClaims: [SampleScopeClaim] { fixture.scopeClaims }
}
