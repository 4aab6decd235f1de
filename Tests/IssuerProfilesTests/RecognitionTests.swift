import IssuerProfiles
import Testing

struct RecognitionTests {
    private static let guid = "5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412"

    @Test(arguments: [
        ("https://\(guid).ciamlogin.com/\(guid)/v2.0", IssuerProfile.entraExternal, ["tenant_id": guid]),
        ("https://login.microsoftonline.com/\(guid)/v2.0", .entraID, ["tenant": guid]),
        ("https://sts.windows.net/\(guid)/", .entraID, ["tenant": guid, "versions": "1"]),
        ("https://contoso.b2clogin.com/\(guid)/v2.0/", .azureB2C, ["tenant_id": guid, "tenant_name": "contoso"]),
        ("https://securetoken.google.com/kestrel-demo-4411", .firebase, ["project_id": "kestrel-demo-4411"]),
        ("https://accounts.google.com", .google, [:]),
        (
            "https://cognito-idp.eu-north-1.amazonaws.com/eu-north-1_Ab12Cd34E", .cognito,
            ["user_pool_id": "eu-north-1_Ab12Cd34E"]
        ),
        ("https://example.eu.auth0.com/", .auth0, ["domain": "example.eu.auth0.com"]),
        ("https://example.okta.com/oauth2/default", .okta, ["issuer": "https://example.okta.com/oauth2/default"]),
        ("https://token.actions.githubusercontent.com", .gitHubActions, [:]),
        ("https://token.actions.githubusercontent.com/kaasik-oy", .gitHubActions, ["enterprise": "kaasik-oy"]),
        ("https://gitlab.com", .gitLabCI, [:]), ("https://kubernetes.default.svc.cluster.local", .kubernetes, [:]),
        ("https://example.zitadel.cloud", .zitadel, ["domain": "example.zitadel.cloud"]),
        (
            "https://quiet-fox-1.projects.oryapis.com", .hydra,
            ["issuer": "https://quiet-fox-1.projects.oryapis.com"]
        ),
        (
            "https://quiet-fox-1.clerk.accounts.dev", .clerk,
            ["frontend_api": "https://quiet-fox-1.clerk.accounts.dev"]
        ),
        ("https://x7k2p1.logto.app/oidc", .logto, ["endpoint": "https://x7k2p1.logto.app"]),
        ("https://id.example.com/realms/shop", .keycloak, ["realm_url": "https://id.example.com/realms/shop"]),
        (
            "https://id.example.com/application/o/shop/", .authentik,
            ["host": "id.example.com", "application_slug": "shop"]
        ),
    ])
    func `a provider is recognised by its issuer URL`(
        _ url: String, _ profile: IssuerProfile, _ parameters: [String: String]
    )
        throws
    {
        let known = try #require(IssuerProfile.recognized(issuer: url))
        #expect(known.profile == profile)
        #expect(known.parameters == parameters)
        let names = Set(profile.parameters.map(\.name))
        #expect(names.isSuperset(of: known.parameters.keys))
    }

    @Test(arguments: [
        "https://id.example.com", "https://id.example.com/oidc", "https://example.okta.com",
        "https://ciamlogin.com.example/\(guid)",
        "https://notlogin.microsoftonline.com.example/\(guid)/v2.0", "no URL", "",
    ])
    func `any other issuer URL is recognised as no provider`(_ url: String) {
        #expect(IssuerProfile.recognized(issuer: url)?.profile == nil)
    }

    @Test func `an Entra URL with a word instead of a tenant id is recognised without its tenant`() throws {
        let known = try #require(IssuerProfile.recognized(issuer: "https://login.microsoftonline.com/common/v2.0"))
        #expect(known.profile == .entraID)
        #expect(known.parameters.isEmpty)
    }
}
