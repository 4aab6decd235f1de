import Foundation
import KeySetFetching
import KeySets
import NIOHTTP1
import TestSupport
import Testing
import TokenIntrospection

@Suite struct IntrospectionWireTests {
    @Test func `an introspection request is a form, with form-encoded client credentials`() async throws {
        let stand = try IntrospectionStand(secret: "s3cr+t/=&:% ~ä\n")
        try await IntrospectionServer.running { server in
            try await stand.running(server, { $0.clientID = "gate way:ü/1" }) { introspector in
                #expect(await stand.ask(introspector, "abc") == .response(active: true))
            }
            let request = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(request.method == .POST)
            #expect(request.path == "/introspect")
            #expect(request.body == "token=abc&token_type_hint=access_token")
            let credentials = Data("gate%20way%3A%C3%BC%2F1:s3cr%2Bt%2F%3D%26%3A%25%20%7E%C3%A4".utf8)
                .base64EncodedString()
            #expect(request.headers["Authorization"] == ["Basic \(credentials)"])
            #expect(request.headers["Content-Type"] == ["application/x-www-form-urlencoded"])
            #expect(request.headers["Accept"] == ["application/json"])
            #expect(request.headers["Content-Length"] == ["\(request.body.utf8.count)"])
            #expect(request.headers["Host"] == ["127.0.0.1:\(server.port)"])
        }
    }

    @Test func `reserved characters of a token cannot add form parameters`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            try await stand.running(server) { introspector in
                _ = await stand.ask(introspector, "a+b/c==~&token=x%20;")
            }
            #expect(
                server.requests.map(\.body) == [
                    "token=a%2Bb%2Fc%3D%3D%7E%26token%3Dx%2520%3B&token_type_hint=access_token"
                ])
        }
    }

    @Test(arguments: [
        ("s3cret", "s3cret"), ("s3cret\n", "s3cret"), ("s3cret\r\n", "s3cret"), (" s3cret ", "%20s3cret%20"),
    ])
    func `one newline at the end of the secret file is not part of the secret`(file: (content: String, sent: String))
        async throws
    {
        let stand = try IntrospectionStand(secret: file.content)
        try await IntrospectionServer.running { server in
            try await stand.running(server) { introspector in
                #expect(await stand.ask(introspector, "a") == .response(active: true))
            }
            let credentials = Data("gateway:\(file.sent)".utf8).base64EncodedString()
            #expect(server.requests.map { $0.headers["Authorization"] } == [["Basic \(credentials)"]])
        }
    }

    @Test func `the query of the introspection endpoint is kept`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            let introspector = stand.introspector(
                try stand.configuration("http://localhost:\(server.port)/a/b?tenant=1"))
            await introspector.start()
            #expect(await stand.ask(introspector, "a") == .response(active: true))
            await introspector.stop()
            #expect(server.requests.map(\.path) == ["/a/b?tenant=1"])
            #expect(server.requests.map { $0.headers["Host"] } == [["localhost:\(server.port)"]])
        }
    }

    @Test func `connections are reused between introspections`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            try await stand.running(server) { introspector in
                for index in 0..<10 { #expect(await stand.ask(introspector, "t\(index)") == .response(active: true)) }
            }
            #expect(server.requests.count == 10)
            #expect(server.connections == 1)
        }
    }

    @Test func `after the server closed the connection a new one is opened`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .init(body: #"{"active":true}"#, ending: .close))
            try await stand.running(server) { introspector in
                for index in 0..<10 { #expect(await stand.ask(introspector, "t\(index)") == .response(active: true)) }
                #expect(await introspector.status.counters.failures == 0)
            }
            #expect(server.connections == 10)
        }
    }

    @Test func `https introspection is verified against the operator's own trust anchor`() async throws {
        let stand = try IntrospectionStand()
        try stand.directory.write(SampleCertificates.trustAnchor, to: "ca.pem")
        try await IntrospectionServer.running(certificate: SampleCertificates.localhost) { server in
            let url = "https://localhost:\(server.port)/introspect"
            for caFile in [stand.directory.path("ca.pem"), nil] {
                let introspector = stand.introspector(try stand.configuration(url) { $0.caFile = caFile })
                await introspector.start()
                let outcome = await stand.ask(introspector, "a")
                #expect(outcome == (caFile == nil ? .unavailable(.seconds(1)) : .response(active: true)))
                if caFile == nil {
                    guard case .exchange(.certificateRefused(url, _))? = await introspector.status.lastFailure else {
                        Issue.record("the certificate was not refused")
                        return
                    }
                }
                await introspector.stop()
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `https introspection goes through the proxy`() async throws {
        let stand = try IntrospectionStand()
        try stand.directory.write(SampleCertificates.trustAnchor, to: "ca.pem")
        try await IntrospectionServer.running(certificate: SampleCertificates.otherHost) { server in
            try await ConnectProxy.running(to: server.port) { proxy in
                let proxies = ProxyEnvironment(environment: ["HTTPS_PROXY": "http://127.0.0.1:\(proxy.port)"])
                let configuration = try stand.configuration("https://other.example/introspect") {
                    $0.caFile = stand.directory.path("ca.pem")
                }
                let introspector = stand.introspector(configuration, proxies: proxies)
                await introspector.start()
                #expect(await stand.ask(introspector, "a") == .response(active: true))
                await introspector.stop()
                #expect(proxy.requestHeads.first?.hasPrefix("CONNECT other.example:443 HTTP/1.1\r\n") == true)
            }
        }
    }

    @Test(arguments: ["http://192.0.2.1/introspect", "http://id.example/introspect"])
    func `plain http introspection is refused beyond loopback unless the operator allows it`(url: String) async throws {
        let stand = try IntrospectionStand()
        let introspector = stand.introspector(try stand.configuration(url))
        await introspector.start()
        #expect(await stand.ask(introspector, "a") == .unavailable(.seconds(1)))
        #expect(await introspector.status.lastFailure == .exchange(.plainHTTPRefused(url: url)))
        await introspector.stop()
    }
}
