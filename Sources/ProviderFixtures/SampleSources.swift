/// What stands in the source of one provider's samples.
struct SampleSources: Sendable {
    let tokens: [SampleSource]
    let nearMisses: [NearMissSource]

    private init(_ tokens: [SampleSource], _ nearMisses: [NearMissSource]) {
        self.tokens = tokens
        self.nearMisses = nearMisses
    }

    init(of name: ProviderName) {
        switch name {
        case .entraExternal: self.init(EntraExternalSamples.tokens, EntraExternalSamples.nearMisses)
        case .entraID: self.init(EntraIDSamples.tokens, EntraIDSamples.nearMisses)
        case .azureB2C: self.init(AzureB2CSamples.tokens, AzureB2CSamples.nearMisses)
        case .firebase: self.init(FirebaseSamples.tokens, FirebaseSamples.nearMisses)
        case .logto: self.init(LogtoSamples.tokens, LogtoSamples.nearMisses)
        case .auth0: self.init(Auth0Samples.tokens, Auth0Samples.nearMisses)
        case .okta: self.init(OktaSamples.tokens, OktaSamples.nearMisses)
        case .keycloak: self.init(KeycloakSamples.tokens, KeycloakSamples.nearMisses)
        case .cognito: self.init(CognitoSamples.tokens, CognitoSamples.nearMisses)
        case .google: self.init(GoogleSamples.tokens, GoogleSamples.nearMisses)
        case .zitadel: self.init(ZitadelSamples.tokens, ZitadelSamples.nearMisses)
        case .authentik: self.init(AuthentikSamples.tokens, AuthentikSamples.nearMisses)
        case .gitHubActions: self.init(GitHubActionsSamples.tokens, GitHubActionsSamples.nearMisses)
        case .gitLabCI: self.init(GitLabCISamples.tokens, GitLabCISamples.nearMisses)
        case .kubernetes: self.init(KubernetesSamples.tokens, KubernetesSamples.nearMisses)
        case .spiffe: self.init(SPIFFESamples.tokens, SPIFFESamples.nearMisses)
        }
    }
}
