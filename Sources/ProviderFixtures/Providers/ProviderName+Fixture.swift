import IssuerProfiles

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
        case .googleIAP: GoogleIAPFixture.self
        case .cloudflareAccess: CloudflareAccessFixture.self
        case .firebaseAppCheck: FirebaseAppCheckFixture.self
        case .awsALB: AWSALBFixture.self
        case .gitHubActions: GitHubActionsFixture.self
        case .gitLabCI: GitLabCIFixture.self
        case .kubernetes: KubernetesFixture.self
        case .spiffe: SPIFFEFixture.self
        }
    }

    /// Names by which clients request scopes. Nil if they are the names that tokens contain.
    public var scopeNaming: ScopeNaming? { fixture.scopeNaming }

    /// Header that carries the provider's tokens. Nil for `Authorization`.
    public var tokenHeader: String? { IssuerProfile(rawValue: rawValue)?.tokenHeader }

    /// Name and value of the header field that carries a token.
    public func field(with token: String) -> (name: String, value: String) {
        tokenHeader.map { ($0, token) } ?? ("Authorization", "Bearer " + token)
    }

    /// Claims that contain the scopes of an access token. Each contains all of them.
    public var scopeClaims: [SampleScopeClaim] { fixture.scopeClaims }
}
