import JOSE
import KeySetFetching
import KeySets
import TestSupport
import Testing

@Suite struct SecureFetchTests {
    private let directory: TemporaryFolder

    init() throws {
        directory = try TemporaryFolder()
        try directory.write(SampleCertificates.trustAnchor, to: "ca.pem")
    }

    private func configuration(_ url: String, trusting caFile: String? = "ca.pem") -> KeySetConfiguration {
        var configuration = SampleDocuments.configuration(.jwkSetURL(url))
        configuration.caFile = caFile.map { directory.path($0) }
        return configuration
    }

    private func secure(_ server: KeyServer, host: String) -> String { "https://\(host):\(server.port)/keys" }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `T375: a certificate for the host, signed by the operator's own trust anchor, is accepted`(host: String)
        async throws
    {
        try await KeyServer.running(certificate: SampleCertificates.localhost) { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let found = try await SampleDocuments.load(configuration(secure(server, host: host)))
            #expect(found == ["a"])
        }
    }

    @Test(
        arguments: [
            (SampleCertificates.localhost, nil), (SampleCertificates.otherHost, "ca.pem"),
            (SampleCertificates.expired, "ca.pem"),
        ] as [(String, String?)], ["localhost", "127.0.0.1"])
    func `T375, F10: an unknown trust anchor, a wrong name, and an expired certificate are refused`(
        served: (certificate: String, caFile: String?),
        host: String,
    ) async throws {
        try await KeyServer.running(certificate: served.certificate) { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let url = secure(server, host: host)
            do throws(KeySetFetchFailure) {
                _ = try await SampleDocuments.load(configuration(url, trusting: served.caFile))
                Issue.record("fetched over a connection that cannot be trusted")
            } catch {
                guard case .certificateRefused(url, _) = error else {
                    Issue.record("\(error)")
                    return
                }
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a server that answers plain http on an https address is refused`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let url = secure(server, host: "localhost")
            do throws(KeySetFetchFailure) {
                _ = try await SampleDocuments.load(configuration(url))
                Issue.record("fetched without TLS")
            } catch {
                #expect(error == .certificateRefused(url: url, reason: "the peer did not answer with TLS"))
            }
        }
    }

    @Test func `https goes through the proxy with its credentials, and the server's certificate is still checked`()
        async throws
    {
        try await KeyServer.running(certificate: SampleCertificates.otherHost) { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            try await ConnectProxy.running(to: server.port) { proxy in
                let proxies = ProxyEnvironment(environment: [
                    "HTTPS_PROXY": "http://user:secret@127.0.0.1:\(proxy.port)"
                ])
                let keys = try await OneTimeKeySet.load(configuration("https://other.example/keys"), proxies: proxies)
                #expect(keys.keys.map(\.keyID) == ["a"])
                let head = try #require(proxy.requestHeads.first)
                #expect(head.hasPrefix("CONNECT other.example:443 HTTP/1.1\r\n"))
                #expect(head.lowercased().contains("proxy-authorization: basic dxnlcjpzzwnyzxq="))
                let url = "https://wrong.example/keys"
                do throws(KeySetFetchFailure) {
                    _ = try await OneTimeKeySet.load(configuration(url), proxies: proxies)
                    Issue.record("fetched from another host than the one named")
                } catch {
                    guard case .certificateRefused(url, _) = error else {
                        Issue.record("\(error)")
                        return
                    }
                }
            }
        }
    }
}
