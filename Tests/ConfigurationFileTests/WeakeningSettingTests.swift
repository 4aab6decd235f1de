import ConfigurationFile
import Foundation
import TestSupport
import Testing

/// Settings that weaken a check, as warnings and as numbers.
struct WeakeningSettingTests {
    private static let text = """
        listen: 127.0.0.1:8080
        admin: 0.0.0.0:9901
        trusted_proxies: 0.0.0.0/0
        shared_state: {url: "redis://10.0.0.7:6379", secret_file: SECRET}
        telemetry: {otlp: {endpoint: "http://10.0.0.8:4318"}, metrics: {every: 1m}}
        quotas: {calls: {requests: 10, per: 1s}}
        issuers:
          any:
            issuer: http://id.example
            token_type: any
            plain_http: true
            allow_missing_kid: true
            subject_claims: [email]
          listed:
            issuer: https://other.example
            token_type: at+jwt
            allow_missing_kid: true
            without_audience: {clients: [web]}
          clusters:
            profile: kubernetes
            jwks_uri: [https://one.example/keys, https://two.example/keys]
          tenants:
            issuer: https://tenants.example/{realm}
            token_type: at+jwt
            realms: {glob: "cust-*"}
        resources:
          orders:
            at: /orders
            issuers: [any, listed, clusters, tenants]
            upstream: http://127.0.0.1:9000
            encoded_slashes: opaque
            websocket: {origins: "*"}
            cors: {origins: ["http://localhost:*"]}
            quotas: [calls]
            rules: {GET /**: authenticated}
          reports:
            at: /reports
            issuers: [clusters]
            upstream: http://127.0.0.1:9001
            token_header: X-Token
            forward: {authorization: pass}
            rules: {GET /**: authenticated}
        """

    @Test func `each place of a setting that weakens a check is counted, and warned of`() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let secret = try folder.write(String(repeating: "s", count: 32), to: "secret")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
        let file = try folder.write(Self.text.replacing("SECRET", with: secret.path), to: "gateway.yaml")
        try FileManager.default.setAttributes([.posixPermissions: 0o646], ofItemAtPath: file.path)
        let result = Configuration.load(path: file.path, environment: [:])
        guard case .success(let configuration, let warnings) = result else {
            Issue.record("\(result.problems.map(\.text))")
            return
        }
        var expected: [WeakeningSetting: Int] = [:]
        // Doors cannot stand beside `encoded_slashes: opaque`; the next test has some.
        let settings = Set(WeakeningSetting.allCases).subtracting([.doors])
        for setting in settings { expected[setting] = setting == .allowMissingKeyID ? 2 : 1 }
        #expect(configuration.weakenings == expected)
        #expect(Set(warnings.compactMap(\.weakens)) == settings)
    }

    @Test func `each wide range of peers is counted, unless the file says that it is wide on purpose`() throws {
        func weakenings(_ range: String) throws -> [WeakeningSetting: Int] {
            let text = """
                listen: [{address: 127.0.0.1:8080, protocols: http/1.1, proxy_protocol: {from: [\(range)]}}]
                admin: {address: 0.0.0.0:9901, allow: [10.0.0.0/8, \(range)]}
                trusted_proxies: [\(range), 10.0.0.0/8]
                doors: [{kind: nginx, address: 127.0.0.1:9191, from: [\(range)]}]
                issuers: {company: {issuer: "https://id.example", token_type: at+jwt}}
                resources: {orders: {at: /orders, issuers: [company], upstream: "http://127.0.0.1:9000", rules: {GET /: a}}}
                """
            let result = Configuration.load(text: text, directory: "", environment: [:])
            guard case .success(let configuration, _) = result else {
                Issue.record("\(result.problems.map(\.text))")
                return [:]
            }
            return configuration.weakenings
        }
        #expect(try weakenings("128.0.0.0/1") == [.admin: 1, .trustedProxies: 2, .doors: 1])
        #expect(try weakenings("{wide: 128.0.0.0/1}") == [:])
    }

    @Test func `a file without such settings counts none`() throws {
        let text = """
            listen: 127.0.0.1:8080
            issuers: {company: {issuer: "https://id.example", token_type: at+jwt, leeway: 5m}}
            resources: {orders: {at: /orders, issuers: [company], upstream: "http://127.0.0.1:9000", rules: {GET /: a}}}
            """
        guard case .success(let configuration, _) = Configuration.load(text: text, directory: "", environment: [:])
        else {
            Issue.record("refused")
            return
        }
        #expect(configuration.weakenings.isEmpty)
    }
}
