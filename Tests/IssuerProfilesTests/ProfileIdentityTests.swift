import IssuerProfiles
import ProviderFixtures
import Testing
import TokenVerification

/// Identity that a profile reads from its provider's token: user, app, permissions, organization.
@Suite struct ProfileIdentityTests {
    @Test(arguments: Expected.all) func `a profile reads subject, client, scopes and roles from its tokens`(
        _ expected: Expected
    ) throws {
        let samples = ProviderSamples.of(expected.provider)
        let sample = try #require(samples.sample(id: expected.sample))
        let token = try SampleGateway(for: sample, of: samples).verify(SampleGateway.ring.compactJWS(sample))
        #expect(token.subject == expected.subject)
        #expect(token.clientID == expected.client)
        #expect(token.scopes == expected.scopes)
        #expect(token.roles == expected.roles)
        #expect(token.tenant == expected.tenant)
        #expect(token.organization == expected.organization)
    }

    @Test func `every provider has a token among the expected identities`() {
        #expect(Set(Expected.all.map(\.provider)) == Set(ProviderName.allCases))
    }

    @Test func `the organization of a Logto organization token is read from its audience`() throws {
        let samples = ProviderSamples.of(.logto)
        let sample = try #require(samples.sample(id: "logto/organization-token"))
        let gateway = try SampleGateway(for: sample, of: samples)
        let token = try gateway.verify(
            SampleGateway.ring.compactJWS(sample), audiences: ["urn:logto:organization:org_5f0c1"])
        #expect(token.organization == "org_5f0c1")
        #expect(token.scopes == ["read", "invite:member"])
    }

    @Test func `a legacy B2C subject is replaced by the object id`() throws {
        let samples = ProviderSamples.of(.azureB2C)
        let sample = try #require(samples.sample(id: "b2c/access"))
        let legacy = try SampleGateway.ring.compactJWS(
            sample, payload: JSONObjectPatch(#"{"sub":"Not supported currently. Use oid claim."}"#))
        #expect(
            try SampleGateway(for: sample, of: samples).verify(legacy).subject == "a8c3d1e7-50f2-4b96-8d47-e9b6f20135ca"
        )
    }

    @Test func `Keycloak's client roles are read for the configured clients`() throws {
        let samples = ProviderSamples.of(.keycloak)
        let sample = try #require(samples.sample(id: "keycloak/access"))
        let setup = try #require(samples.setup(for: sample))
        let changes: [String: ParameterValue] = [
            "realm_roles": .boolean(false), "client_roles": .texts(["orders-api"]),
        ]
        let gateway = try SampleGateway(setup, changing: changes)
        #expect(try gateway.verify(SampleGateway.ring.compactJWS(sample)).roles == ["order-read"])
    }

    @Test(arguments: ["https://orders.example/api", "a.b", "a~b", "a~1b"])
    func `roles are read for a client whose name contains pointer or path characters`(_ client: String) throws {
        let samples = ProviderSamples.of(.keycloak)
        let sample = try #require(samples.sample(id: "keycloak/access"))
        let setup = try #require(samples.setup(for: sample))
        let claims = try JSONObjectPatch(
            #"{"resource_access":{"\#(client)":{"roles":["r"]},"a":{"b":{"roles":["s"]}}}}"#)
        let gateway = try SampleGateway(setup, without: "realm_roles", changing: ["client_roles": .text(client)])
        #expect(try gateway.verify(SampleGateway.ring.compactJWS(sample, payload: claims)).roles == ["r"])
    }

    @Test func `a path of claim members is written as a JSON Pointer`() throws {
        let path = ClaimPath(members: "resource_access", "a/b~c", "roles")
        #expect(path.description == "/resource_access/a~1b~0c/roles")
        #expect(try ClaimPath(path.description) == path)
    }

    @Test func `Auth0's scopes are read from scope unless permissions are enabled`() throws {
        let samples = ProviderSamples.of(.auth0)
        let sample = try #require(samples.sample(id: "auth0/access"))
        let setup = try #require(samples.setup(for: sample))
        let gateway = try SampleGateway(setup, changing: ["rbac": .boolean(false)])
        #expect(try gateway.verify(SampleGateway.ring.compactJWS(sample)).scopes == ["openid", "orders:read"])
    }
}

/// A sample, and the identity read from it.
struct Expected: Sendable, CustomTestStringConvertible {
    let provider: ProviderName
    let sample: String
    let subject: String?
    var client: String?
    var scopes: [String] = []
    var roles: [String] = []
    var tenant: String?
    var organization: String?

    var testDescription: String { sample }

    init(
        _ provider: ProviderName, _ sample: String, _ subject: String?, client: String? = nil, scopes: [String] = [],
        roles: [String] = [],
        tenant: String? = nil, organization: String? = nil
    ) {
        self.provider = provider
        self.sample = sample
        self.subject = subject
        self.client = client
        self.scopes = scopes
        self.roles = roles
        self.tenant = tenant
        self.organization = organization
    }

    private static let work = "7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755"

    static let all: [Expected] = [
        Expected(
            .entraExternal, "entra-external/access", "1f64d0b9-3c27-48ea-9a50-72bd8e06f1c4",
            client: "b81f6e02-1c9d-4a55-b3e7-d64920f7c183", scopes: ["Catalog.Read", "Catalog.Write"],
            tenant: "5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412"),
        Expected(
            .entraID, "entra-id/access-v2", "d5b2f7a0-816c-4e39-bb04-3f9c7e51a286",
            client: "94f5e1b8-6d20-47c3-8e9a-25b0d7f3168c",
            scopes: ["Orders.Read", "Orders.Write"], tenant: work),
        Expected(
            .entraID, "entra-id/access-v1", "d5b2f7a0-816c-4e39-bb04-3f9c7e51a286",
            client: "94f5e1b8-6d20-47c3-8e9a-25b0d7f3168c",
            scopes: ["Orders.Read"], tenant: work),
        Expected(
            .entraID, "entra-id/access-app-only", "6e1d94b3-27f8-45ca-90b6-d8e3f1072c5a",
            client: "0c8e5d27-b9f1-4630-a7d4-51e2836fca90", roles: ["Orders.Sync.All"], tenant: work),
        Expected(
            .entraID, "entra-id/access-consumer", "00000000-0000-0000-4b2e-9d1f7a6c0e35",
            client: "94f5e1b8-6d20-47c3-8e9a-25b0d7f3168c", scopes: ["Orders.Read"],
            tenant: "9188040d-6c67-4c5b-b112-36a304b66dad"),
        Expected(
            .azureB2C, "b2c/access", "a8c3d1e7-50f2-4b96-8d47-e9b6f20135ca",
            client: "2f8c94d1-05ab-4e73-9d68-b7c31ea0f546",
            scopes: ["tasks.read", "tasks.write"]),
        Expected(.firebase, "firebase/bearer", "Q7mXv2LzR8hTn4BcYw1KpD0eJsU3", scopes: ["editor"], roles: ["editor"]),
        Expected(.firebase, "firebase/bearer-tenant", "b8Tq5nVxK2rLw9YcHf3pZ1mGe7D0", tenant: "acme-x7k2p"),
        Expected(.logto, "logto/access", "u4n8wq2zk0lp", client: "m3xk9v5t2rqd7c1yb8w0h", scopes: ["read", "write"]),
        Expected(
            .logto, "logto/access-org", "u4n8wq2zk0lp", client: "m3xk9v5t2rqd7c1yb8w0h", scopes: ["read"],
            organization: "org_5f0c1"),
        Expected(.logto, "logto/m2m", "q8d2w5n1rk4zt7x0cm9vb", client: "q8d2w5n1rk4zt7x0cm9vb", scopes: ["read"]),
        Expected(.auth0, "auth0/access", "auth0|64f1c2", client: "Hx7qTn2LzR8vYc1K", scopes: ["orders:read"]),
        Expected(.okta, "okta/access", "mira@kaasik.example", client: "0oa1b2c3d4", scopes: ["openid", "orders:read"]),
        Expected(
            .keycloak, "keycloak/access", "9d2f", client: "ios-app", scopes: ["profile", "orders"], roles: ["customer"]),
        Expected(
            .cognito, "cognito/access", "b1a2", client: "57cbishk4j24pabc1234567890", scopes: ["read"], roles: ["staff"]
        ),
        Expected(
            .google, "google/id", "109876543210", client: "11-ios.apps.googleusercontent.com", tenant: "kaasik.example"),
        Expected(.zitadel, "zitadel/access", "77776025198584418", client: "282465789963927554", roles: ["customer"]),
        Expected(.authentik, "authentik/access", "5d41402abc4b", client: "aKcLient1"),
        Expected(.hydra, "hydra/access", "7c9d4e02", client: "web-shop", scopes: ["orders:read"]),
        Expected(
            .clerk, "clerk/session", "user_2Kp8", client: "https://shop.kaasik.example", roles: ["member"],
            organization: "org_2Kq1"),
        Expected(.clerk, "clerk/oauth", "user_2Kp8", client: "k3xq9ZbT", scopes: ["openid", "profile"]),
        Expected(
            .googleIAP, "google-iap/assertion", "accounts.google.com:104477002913377", tenant: "kaasik.example"),
        Expected(.cloudflareAccess, "cloudflare-access/user", "7335d417-61da-459d-899c-0a01c76a2f94"),
        Expected(
            .cloudflareAccess, "cloudflare-access/service", nil, client: "e367826f93b8d71185e03fe518aff3b4.access"),
        Expected(
            .firebaseAppCheck, "firebase-app-check/app", "1:441100223344:ios:9f0c", client: "1:441100223344:ios:9f0c"),
        Expected(.awsALB, "aws-alb/user", "9d2f4c1e-55aa-4f0d-8a3c-1be0c7d91f46"),
        Expected(
            .gitHubActions, "github-actions/job", "repo:kaasik/shop:environment:production", client: "kaasik/shop",
            tenant: "kaasik"),
        Expected(
            .gitLabCI, "gitlab-ci/job", "project_path:kaasik/shop:ref_type:branch:ref:main", client: "kaasik/shop",
            tenant: "kaasik"),
        Expected(
            .spiffe, "spiffe/jwt-svid", "spiffe://kaasik.example/ns/shop/sa/checkout",
            client: "spiffe://kaasik.example/ns/shop/sa/checkout"
        ),
        Expected(
            .kubernetes, "kubernetes/projected", "system:serviceaccount:shop:checkout",
            client: "system:serviceaccount:shop:checkout",
            tenant: "shop"),
    ]
}
