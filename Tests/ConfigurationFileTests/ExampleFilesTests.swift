import ConfigurationFile
import Foundation
import ProviderFixtures
import TestSupport
import Testing
import TokenVerification

struct ExampleFilesTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "deploy/examples")

    static func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".yaml") && !$0.hasSuffix(".tests.yaml")
        }
        .sorted()
    }

    @Test func `the folder of examples is not empty`() throws {
        #expect(try Self.files().contains("minimal.yaml"))
        #expect(try Self.files().contains("generic.yaml"))
    }

    @Test(arguments: try files())
    func `an example file loads without problems`(_ name: String) throws {
        let path = Self.folder.appending(path: name).path
        let certificates = try Self.certificates()
        defer { withExtendedLifetime(certificates) {} }
        let result = Configuration.load(path: path, environment: ["TLS_DIRECTORY": certificates.url.path])
        let meant = Self.weakened[name].map { [$0] } ?? []
        #expect(result.problems.filter { $0.weakens == nil }.map { $0.rendered(file: name) } == [])
        #expect(result.problems.compactMap(\.weakens) == meant)
    }

    /// Examples that show a setting that weakens a check, each with that setting.
    private static let weakened: [String: WeakeningSetting] = [
        "clerk.yaml": .withoutAudience, "hydra.yaml": .withoutAudience,
        "identity-proxy.yaml": .authorization,
        "realms.yaml": .realms,
    ]

    /// Folder with the certificates named in the example for the edge.
    private static func certificates() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in ["edge", "partner", "gateway"] {
            try folder.write(SampleCertificates.localhost, to: "\(name).pem")
            let key = try folder.write(SampleCertificates.privateKey, to: "\(name).key")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        }
        for name in ["clients", "internal-ca"] {
            try folder.write(SampleCertificates.trustAnchor, to: "\(name).pem")
        }
        return folder
    }

    @Test(arguments: ["entra-external", "entra-id", "azure-b2c", "firebase", "logto", "auth0", "authentik"])
    func `an example loads with its commented-out lines enabled`(_ name: String) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try folder.write("xyzzy", to: "logto-secret")
        let text = try String(contentsOf: Self.folder.appending(path: name + ".yaml"), encoding: .utf8)
        // A commented-out line is indented and begins with a key; prose does not.
        let whole = text.replacing(/(?m)^( +)# ( *[a-z_0-9-]+:( |$))/) { "\($0.output.1)\($0.output.2)" }
        #expect(whole != text)
        let result = Configuration.load(text: whole, directory: folder.url.path, environment: [:])
        #expect(result.problems.filter { $0.severity == .error }.map { $0.rendered(file: name) } == [])
    }

    struct Call: Sendable, CustomTestStringConvertible {
        let provider: ProviderName
        let host: String
        let method: String
        let path: String

        init(_ provider: ProviderName, _ method: String, _ path: String, host: String = "gateway.example") {
            (self.provider, self.method, self.path, self.host) = (provider, method, path, host)
        }

        var testDescription: String { "\(provider.rawValue): \(method) \(host)\(path)" }
    }

    /// Requests that the provider's usual access token is accepted for, by example.
    static let calls = [
        Call(.entraExternal, "GET", "/catalog/items/7"), Call(.entraExternal, "PUT", "/catalog/items/7"),
        Call(.entraID, "GET", "/orders/7"), Call(.entraID, "POST", "/orders"),
        Call(.azureB2C, "GET", "/tasks"), Call(.azureB2C, "DELETE", "/tasks/7"),
        Call(.firebase, "GET", "/articles/7"), Call(.firebase, "PATCH", "/articles/7"),
        Call(.logto, "GET", "/api/orders/7", host: "shopping.your-app.com"),
        Call(.logto, "DELETE", "/api/orders/7", host: "shopping.your-app.com"),
        Call(.auth0, "GET", "/api/7", host: "orders.example"),
        Call(.okta, "GET", "/orders/7"),
        Call(.keycloak, "GET", "/orders/7"),
        Call(.cognito, "GET", "/orders/7"),
        Call(.google, "GET", "/profile"), Call(.google, "PUT", "/profile"),
        Call(.zitadel, "GET", "/orders/7"), Call(.zitadel, "POST", "/orders"),
        Call(.authentik, "GET", "/orders/7"), Call(.authentik, "POST", "/orders"),
        Call(.hydra, "GET", "/orders/7"), Call(.clerk, "GET", "/orders/7"),
        Call(.googleIAP, "GET", "/orders/7"), Call(.cloudflareAccess, "POST", "/orders"),
        Call(.firebaseAppCheck, "GET", "/orders/7"), Call(.awsALB, "GET", "/orders/7"),
        Call(.gitHubActions, "POST", "/releases"), Call(.gitLabCI, "POST", "/releases"),
        Call(.kubernetes, "GET", "/orders/7"),
        Call(.spiffe, "GET", "/orders/7"),
    ]

    @Test func `every provider has an example file and an example request`() throws {
        let names = ProviderName.allCases.map { $0.rawValue + ".yaml" }
        #expect(Set(names).isSubset(of: try Self.files()))
        #expect(Set(Self.calls.map(\.provider)) == Set(ProviderName.allCases))
    }

    @Test(arguments: calls)
    func `a provider's usual token is accepted by its example`(_ call: Call) throws {
        let samples = ProviderSamples.of(call.provider)
        let gateway = try Self.gateway(samples)
        let sample = try #require(samples.tokens.first)
        #expect(try gateway.reason(sample, call.method, call.path, host: call.host) == nil)
    }

    @Test(arguments: [
        (ProviderName.entraExternal, "DELETE", "/catalog/items/7", "role_required"),
        (.entraID, "POST", "/orders/sync", "role_required"),
        (.okta, "POST", "/orders", "insufficient_scope"), (.keycloak, "DELETE", "/orders/7", "role_required"),
        (.cognito, "POST", "/orders", "insufficient_scope"), (.zitadel, "DELETE", "/orders/7", "role_required"),
        (.authentik, "DELETE", "/orders/7", "claim_required"),
        (.hydra, "POST", "/orders", "insufficient_scope"), (.clerk, "DELETE", "/orders/7", "role_required"),
        (.firebase, "DELETE", "/articles/7", "insufficient_scope"),
    ])
    func `a request that needs more than the usual token has is refused by the example`(
        _ provider: ProviderName, _ method: String, _ path: String, _ reason: String
    ) throws {
        let samples = ProviderSamples.of(provider)
        let sample = try #require(samples.tokens.first)
        #expect(try Self.gateway(samples).reason(sample, method, path) == reason)
    }

    /// Builds a gateway. The provider's key sets are in the order in which its profile numbers them.
    private static func gateway(_ samples: ProviderSamples) throws -> SampleGateway {
        let path = folder.appending(path: samples.name.rawValue + ".yaml").path
        guard case .success(let configuration, _) = Configuration.load(path: path, environment: [:]) else {
            throw SampleGateway.Refused()
        }
        let keySets = IndexedBy<KeySetIndex, SampleKeySet>(samples.keySets)
        return try SampleGateway(configuration, of: samples.name) { index, _ in keySets[index]?.name }
    }
}
