import Foundation
import KeySetFetching
import KeySets
import NIOHTTP1
import TestSupport
import Testing

/// Credentials for the server of a key set, which are sent to no other server.
struct KeySetCredentialsTests {
    private let directory: TemporaryFolder

    init() throws {
        directory = try TemporaryFolder()
        try directory.write("first\n", to: "token")
    }

    private func configuration(_ source: KeySetSource, issuer: String = "https://id.example") -> KeySetConfiguration {
        var configuration = SampleDocuments.configuration(source, issuer: issuer)
        configuration.credentials = KeySetCredentials(authorizationFile: directory.path("token"))
        return configuration
    }

    private func keyIDs(_ configuration: KeySetConfiguration) async throws -> [String] {
        try await SampleDocuments.load(configuration)
    }

    private func sent(_ server: KeyServer) -> [[String]] { server.requests.map { $0.headers["Authorization"] } }

    @Test func `the credentials file is read again for each fetch`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let configuration = configuration(.jwkSetURL(server.url()))
            #expect(try await keyIDs(configuration) == ["a"])
            try directory.write("Basic dTpw", to: "token")
            #expect(try await keyIDs(configuration) == ["a"])
            #expect(sent(server) == [["Bearer first"], ["Basic dTpw"]])
        }
    }

    @Test func `metadata and keys at the issuer's own origin get the credentials`() async throws {
        try await KeyServer.running { server in
            let issuer = server.url("")
            server.answer(
                "/.well-known/openid-configuration",
                with: .json(SampleDocuments.metadata(issuer: issuer, jwkSetURL: server.url())))
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let found = try await keyIDs(configuration(.discovery(issuer: issuer), issuer: issuer))
            #expect(found == ["a"])
            #expect(sent(server) == [["Bearer first"], ["Bearer first"]])
        }
    }

    @Test func `keys at another origin named in metadata do not get the credentials`() async throws {
        try await KeyServer.running { server in
            try await KeyServer.running { other in
                let issuer = server.url("")
                server.answer(
                    "/.well-known/openid-configuration",
                    with: .json(SampleDocuments.metadata(issuer: issuer, jwkSetURL: other.url())))
                other.answer(with: .json(SampleDocuments.keySet("a")))
                let found = try await keyIDs(configuration(.discovery(issuer: issuer), issuer: issuer))
                #expect(found == ["a"])
                #expect(sent(server) == [["Bearer first"]])
                #expect(sent(other) == [[]])
            }
        }
    }

    @Test func `metadata at another host than the issuer's may lead to keys without credentials`() async throws {
        try await KeyServer.running { server in
            server.answer(
                "/metadata",
                with: .json(SampleDocuments.metadata(issuer: "https://id.example", jwkSetURL: server.url())))
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let found = try await keyIDs(configuration(.metadata(url: server.url("/metadata"))))
            #expect(found == ["a"])
            #expect(sent(server) == [[], []])
        }
    }

    @Test func `credentials never reach a redirect target, because redirects are not followed`() async throws {
        try await KeyServer.running { server in
            try await KeyServer.running { other in
                server.answer(with: .status(.temporaryRedirect, headers: ["Location": other.url()]))
                await #expect(throws: KeySetFetchFailure.redirected(url: server.url(), status: 307, to: other.url())) {
                    try await SampleDocuments.load(configuration(.jwkSetURL(server.url())))
                }
                #expect(other.requests.isEmpty)
            }
        }
    }

    @Test(arguments: [("", "it is empty"), ("a\nb", "it is not one line of printable ASCII")])
    func `an unusable credentials file is reported, and nothing is requested`(content: String, reason: String)
        async throws
    {
        try await KeyServer.running { server in
            try directory.write(content, to: "token")
            let failure = KeySetFetchFailure.credentialsUnusable(path: directory.path("token"), reason: reason)
            await #expect(throws: failure) { try await SampleDocuments.load(configuration(.jwkSetURL(server.url()))) }
            #expect(failure.description == "the credentials in \(directory.path("token")) cannot be used: \(reason)")
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a client certificate is presented only where credentials may be sent`() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue("client")
        try await KeyServer.running(certificate: SampleCertificates.localhost, clientAuthority: authority.anchor.path) {
            server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            try directory.write(SampleCertificates.trustAnchor, to: "ca.pem")
            let url = "https://localhost:\(server.port)/keys"
            var configuration = SampleDocuments.configuration(.jwkSetURL(url))
            configuration.caFile = directory.path("ca.pem")
            await #expect(throws: KeySetFetchFailure.self) { try await SampleDocuments.load(configuration) }
            let certificate = KeySetCredentials.Certificate(
                certificate: identity.certificate.path, key: identity.key.path)
            configuration.credentials = KeySetCredentials(certificate: certificate)
            #expect(try await keyIDs(configuration) == ["a"])
            configuration.source = .metadata(url: url)
            await #expect(throws: KeySetFetchFailure.self) { try await SampleDocuments.load(configuration) }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a file without a private key is reported`() async throws {
        let authority = try CertificateAuthority()
        defer { withExtendedLifetime(authority) {} }
        let certificate = try authority.issue("client").certificate.path
        var configuration = SampleDocuments.configuration(.jwkSetURL("https://127.0.0.1:1/keys"))
        configuration.credentials = KeySetCredentials(certificate: .init(certificate: certificate, key: certificate))
        let failure = KeySetFetchFailure.credentialsUnusable(path: certificate, reason: "it holds no PEM private key")
        await #expect(throws: failure) { try await SampleDocuments.load(configuration) }
    }
}
