import ConfigurationFile
import Foundation
import TestSupport
import Testing

/// Settings that weaken a check, as warnings and as numbers.
struct WeakeningSettingTests {
    private static let text = """
        listen: 127.0.0.1:8080
        admin: 0.0.0.0:9901
        shared_state: {url: "redis://10.0.0.7:6379", secret_file: SECRET}
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
        resources:
          orders:
            at: /orders
            issuers: [any, listed, clusters]
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
        for setting in WeakeningSetting.allCases { expected[setting] = setting == .allowMissingKeyID ? 2 : 1 }
        #expect(configuration.weakenings == expected)
        #expect(Set(warnings.compactMap(\.weakens)) == Set(WeakeningSetting.allCases))
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
