import DevelopmentIssuer
import NIOHTTP1
import ProviderFixtures
import TestSupport
import Testing

@Suite(.serialized) struct ExampleFilesEndToEndTests {
    /// A token that the first rule of an example accepts, and one that it must refuse.
    struct Trial: Sendable, CustomTestStringConvertible {
        let provider: ProviderName
        /// Host of the resource, from its identifier. Nil if any host will do.
        var host: String?
        let path: String
        var access = "access"
        /// The refused sample: an ID token, or another audience's token if ID tokens are the bearer tokens.
        var refused = "id"
        let reason: String

        var testDescription: String { provider.rawValue }
    }

    static let trials = [
        Trial(provider: .entraExternal, path: "/catalog/items", reason: "audience_mismatch"),
        Trial(provider: .entraID, path: "/orders", access: "access-v2", refused: "id-v2", reason: "audience_mismatch"),
        Trial(provider: .azureB2C, path: "/tasks", reason: "audience_mismatch"),
        Trial(
            provider: .firebase, path: "/articles/7", access: "bearer", refused: "fb-3-microsoft-id-token",
            reason: "issuer_mismatch"),
        Trial(provider: .logto, host: "shopping.your-app.com", path: "/api/orders", reason: "typ_mismatch"),
        Trial(provider: .auth0, host: "orders.example", path: "/api", reason: "audience_mismatch"),
        Trial(provider: .okta, path: "/orders", reason: "audience_mismatch"),
        Trial(provider: .keycloak, path: "/orders/7", reason: "audience_mismatch"),
        Trial(provider: .cognito, path: "/orders", reason: "not_access_token"),
        Trial(
            provider: .google, path: "/profile", access: "id", refused: "goog-1-other-client",
            reason: "audience_mismatch"),
        Trial(provider: .zitadel, path: "/orders", reason: "not_access_token"),
        Trial(provider: .authentik, path: "/orders", reason: "not_access_token"),
        Trial(provider: .hydra, path: "/orders", refused: "hydra-1-id-token", reason: "not_access_token"),
        Trial(
            provider: .clerk, path: "/orders", access: "session", refused: "clerk-3-pending-session",
            reason: "claim_invalid"),
        Trial(
            provider: .googleIAP, path: "/orders", access: "assertion", refused: "iap-2-other-project",
            reason: "audience_mismatch"),
        Trial(
            provider: .cloudflareAccess, path: "/orders", access: "user", refused: "cfa-2-team-token",
            reason: "not_access_token"),
        Trial(
            provider: .firebaseAppCheck, path: "/orders", access: "app", refused: "appcheck-2-other-app",
            reason: "client_not_allowed"),
        Trial(
            provider: .awsALB, path: "/orders", access: "user", refused: "alb-1-other-customer",
            reason: "signer_not_allowed"),
        Trial(
            provider: .gitHubActions, path: "/releases", access: "job", refused: "gha-1-other-owner",
            reason: "client_not_allowed"),
        Trial(
            provider: .gitLabCI, path: "/releases", access: "job", refused: "gl-1-other-namespace",
            reason: "client_not_allowed"),
        Trial(
            provider: .kubernetes, path: "/orders", access: "projected", refused: "k8s-1-other-namespace",
            reason: "tenant_not_allowed"),
        Trial(
            provider: .spiffe, path: "/orders", access: "jwt-svid", refused: "spiffe-2-other-domain",
            reason: "tenant_not_allowed"),
    ]

    @Test func `every provider example is tested`() throws {
        let tried = Set(Self.trials.map(\.provider.rawValue))
        #expect(Self.trials.count == 22 && tried.count == 22)
        #expect(
            try ExampleFile.names().subtracting([
                "edge", "fleet", "generic", "identity-proxy", "maintenance", "minimal", "observe", "pem-keys",
                "port-443", "realms", "single-page-app",
            ]) == tried)
    }

    @Test(arguments: Effort.some(trials, quick: 5))
    func `a provider example accepts the tokens meant for it, and no others`(_ trial: Trial)
        async throws
    {
        let server = try await ProviderServer.start(as: trial.provider)
        let upstream = try await LoopbackServer.upstream()
        let gateway = try await ServedFile.start(
            try ExampleFile(trial.provider).runnable(keysOf: server, upstream: upstream.url))
        let good = try #require(server.mint(SampleRequest(trial.access)))
        let admitted = try await gateway.ask(
            trial.path, field: trial.provider.field(with: good.token), host: trial.host)
        #expect(admitted.status == 200 && admitted.body == #"{"upstream":true}"#, "\(admitted)")
        let bad = try #require(server.mint(SampleRequest(trial.refused)))
        let refused = try await gateway.ask(trial.path, field: trial.provider.field(with: bad.token), host: trial.host)
        #expect(refused.status == 401, "\(refused)")
        #expect(
            refused.fields["WWW-Authenticate"].compactMap { ReceivedChallenge($0)?["error"] } == ["invalid_token"],
            "\(refused)")
        #expect(await gateway.logHas(lines: 2))
        #expect(gateway.lastReason == trial.reason)
        let anonymous = try await gateway.ask(trial.path, token: nil, host: trial.host)
        #expect(anonymous.status == 401)
        #expect(anonymous.fields["WWW-Authenticate"].count == 1, "\(anonymous.fields)")
        #expect(upstream.count(of: trial.path) == 1, "nothing but the first request was forwarded")
        await gateway.stop()
        await upstream.stop()
        await server.stop()
    }
}
