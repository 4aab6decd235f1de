import ConfigurationFile
import Foundation
import ProxySettings
import TestSupport
import Testing

/// `tls` of a listener, with files that exist.
@Suite struct TLSListenerTests {
    /// Loads a file with this `listen`, in a directory with certificates.
    private static func load(_ listen: String, _ prepare: (URL) throws -> Void = { _ in }) throws -> LoadResult<
        Configuration
    > {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let files = [
            "a.pem": SampleCertificates.localhost, "b.pem": SampleCertificates.otherHost,
            "a.key": SampleCertificates.privateKey,
            "ca.pem": SampleCertificates.trustAnchor, "other.key": "-----BEGIN ENCRYPTED PRIVATE KEY-----\n",
        ]
        for (name, text) in files {
            let file = try folder.write(text, to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        try prepare(folder.url)
        let text = """
            listen: \(listen)
            resources: {"https://a.example/": {upstream: "http://127.0.0.1:9000", rules: {GET /: {public: true}}}}
            """
        return Configuration.load(text: text, directory: folder.url.path + "/", environment: [:])
    }

    private static func problems(_ result: LoadResult<Configuration>) -> [String] {
        result.problems.map { $0.rendered(file: "FILE") }
    }

    @Test func `a listener has several certificates, a client CA and a minimum TLS version`() throws {
        let result = try Self.load(
            """
            {address: 127.0.0.1:8443, tls: {certificate: a.pem, key: ./a.key, certificates: [{certificate: b.pem, key: a.key}],
                client_ca: ca.pem, client_certificate: required, minimum_version: "1.3"}}
            """)
        guard case .success(let configuration, _) = result,
            case .secure(let termination) = configuration.listen.first?.service
        else {
            Issue.record("\(Self.problems(result))")
            return
        }
        #expect(termination.identities.map { $0.certificate.suffix(6) } == ["/a.pem", "/b.pem"])
        #expect(termination.clientCAFile?.hasSuffix("/ca.pem") == true)
        #expect(termination.requiresClientCertificate)
        #expect(termination.floor == .tls13)
        #expect(termination.files.count == 5)
        #expect(result.problems.isEmpty)
    }

    @Test(arguments: [
        (
            "{certificate: a.key, key: a.key}",
            "FILE:1:54: error: listen.tls.certificate: holds no PEM certificate"
        ),
        ("{certificate: a.pem, key: a.pem}", "FILE:1:66: error: listen.tls.key: holds no PEM private key"),
        (
            "{certificate: a.pem, key: other.key}",
            "FILE:1:66: error: listen.tls.key: the private key is encrypted; store it without a passphrase, readable by the gateway alone"
        ),
        (
            "{certificate: a.pem, key: a.key, client_ca: a.key, client_certificate: optional}",
            "FILE:1:84: error: listen.tls.client_ca: `a.key` holds no PEM certificate"
        ),
        (
            "{certificate: a.pem, key: a.key, client_ca: ca.pem}",
            "FILE:1:73: error: listen.tls.client_ca: does not say whether clients must show a certificate; "
                + "add `client_certificate: optional`, or `required` to refuse clients without one"
        ),
        (
            "{certificate: a.pem, key: a.key, client_ca: ca.pem, client_certificate: maybe}",
            "FILE:1:112: error: listen.tls.client_certificate: `maybe` is not known here; write `optional` or `required`"
        ),
    ])
    func `TLS settings that cannot serve are reported when the file is loaded`(tls: String, problem: String) throws {
        #expect(Self.problems(try Self.load("{address: 127.0.0.1:8443, tls: \(tls)}")) == [problem])
    }

    @Test func `a private key that everyone may read causes a warning`() throws {
        let result = try Self.load("{address: 127.0.0.1:8443, tls: {certificate: a.pem, key: a.key}}") { directory in
            let key = directory.appendingPathComponent("a.key").path
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        }
        let warning = "everyone on this machine may read this private key; take the permission away: chmod o-r"
        #expect(Self.problems(result) == ["FILE:1:66: warning: listen.tls.key: \(warning)"])
    }

    @Test func `a private key that does not belong to the certificate is reported`() throws {
        let authority = try CertificateAuthority()
        let other = try authority.issue("other")
        let result = try Self.load("{address: 127.0.0.1:8443, tls: {certificate: a.pem, key: \(other.key.path)}}") {
            _ in
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other.key.path)
        }
        let problem = "the private key does not belong to the certificate, or TLS has no use for its kind"
        #expect(Self.problems(result) == ["FILE:1:66: error: listen.tls.key: \(problem)"])
    }
}
