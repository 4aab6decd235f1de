import ConfigurationFile
import KeySets
import Testing
import TokenVerification

/// Key set settings for the issuer of a Kubernetes cluster.
struct KubernetesIssuerTests {
    private func keySet(_ lines: String) throws -> KeySetConfiguration {
        let text = """
            issuers: {a: {profile: kubernetes\(lines)}}
            resources: {b: {at: /b, audiences: [b], issuers: [a], upstream: http://127.0.0.1:9000, rules: {GET /: authenticated}}}
            """
        return try #require(try ProfiledIssuerTests.load(text).issuers.first?.keySets.first)
    }

    @Test func `the Kubernetes API server gets the service account token and CA mounted into the pod`() throws {
        let keySet = try keySet("")
        #expect(keySet.source == .jwkSetURL("https://kubernetes.default.svc/openid/v1/jwks"))
        #expect(keySet.caFile == "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt")
        #expect(
            keySet.credentials
                == KeySetCredentials(authorizationFile: "/var/run/secrets/kubernetes.io/serviceaccount/token"))
        #expect(
            try self.keySet(", api_server: \"https://10.96.0.1\"").source
                == .jwkSetURL("https://10.96.0.1/openid/v1/jwks"))
    }

    @Test func `another address does not get the service account token`() throws {
        let keySet = try keySet(", jwks_uri: https://oidc.example/keys")
        #expect(keySet.caFile == nil && keySet.credentials == nil)
    }
}
