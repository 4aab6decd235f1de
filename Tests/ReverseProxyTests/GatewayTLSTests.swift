import Foundation
import JOSE
import NIOSSL
import ProxySettings
import TestSupport
import Testing
import TransportSecurity

@testable import ReverseProxy

/// TLS with clients, over real sockets.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayTLSTests {
    private static let key = Array(SampleCertificates.privateKey.utf8)

    private static func identity(_ certificate: String = SampleCertificates.localhost) throws -> TLSIdentity {
        try TLSIdentity(certificate: Array(certificate.utf8), key: key)
    }

    private static func settings(
        _ identities: [TLSIdentity]? = nil, clients: ClientCertificates? = nil, floor: TLSFloor = .tls12
    ) throws -> GatewaySettings {
        let security = try ListenerSecurity(
            identities: identities ?? [identity()], clients: clients, floor: floor, protocols: ["http/1.1"])
        var settings = GatewaySettings()
        settings.service = .secure(TLSTermination(security))
        return settings
    }

    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    // MARK: Requests

    @Test func `a request over TLS is forwarded with the scheme https`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect(ClientTLS { $0.applicationProtocols = ["http/1.1"] })
            for _ in 1...2 {
                client.send("GET /a HTTP/1.1\r\nHost: api.example\r\n\r\n")
                let server = try await gateway.upstream.connection()
                let head = try await server.receive(through: "\r\n\r\n")
                #expect(values("x-forwarded-proto", in: head) == ["https"])
                server.send(Self.answer)
                #expect(try await client.receive(through: "ok").hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
            #expect(try await client.handshake().negotiated == "http/1.1")
            #expect(gateway.gateway.state.connections.handshakes.counts == [.completed: 1])
        }
    }

    @Test func `the last answer on a connection arrives complete and ends with close_notify`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect(ClientTLS())
            client.send("POST /private HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello")
            let answer = try await client.receiveToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 401 "))
            #expect(answer.contains("connection: close"))
            #expect(!client.wasTruncated)
        }
    }

    @Test func `an answer that breaks off ends without close_notify`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect(ClientTLS())
            client.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            _ = try await client.receive(through: "half")
            server.close()
            #expect(try await client.ends())
            #expect(client.wasReset || client.wasTruncated)
        }
    }

    @Test func `large bodies pass over TLS in both directions`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let body = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
            let client = try await gateway.connect(ClientTLS())
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
            client.send(body)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            #expect(try await server.receive(count: body.count) == body)
            server.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            server.send(body)
            _ = try await client.receive(through: "\r\n\r\n")
            #expect(try await client.receive(count: body.count) == body)
        }
    }

    // MARK: Which certificate

    @Test(
        arguments: [
            ("localhost", ["localhost"]), ("other.example", ["other.example"]), ("OTHER.example", ["other.example"]),
            ("third.example", ["localhost"]), (nil, ["localhost"]),
        ] as [(String?, [String])])
    func `T281 the server name of a client selects the certificate, and nothing else`(
        name: String?, names: [String]
    ) async throws {
        let settings = try Self.settings([Self.identity(), Self.identity(SampleCertificates.otherHost)])
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect(ClientTLS(serverName: name))
            // The request is judged by its own host, not by the name in the handshake.
            client.send("GET /private HTTP/1.1\r\nHost: else.example\r\n\r\n")
            #expect(try await client.receive(through: "}").hasPrefix("HTTP/1.1 401 "))
            #expect(try await client.handshake().names?.first == names.first)
        }
    }

    @Test func `new connections get a new certificate, and open connections continue`() async throws {
        let termination = TLSTermination(try ListenerSecurity(identities: [Self.identity()], protocols: ["http/1.1"]))
        var settings = GatewaySettings()
        settings.service = .secure(termination)
        try await withGateway(settings) { gateway in
            let old = try await gateway.connect(ClientTLS())
            #expect(try await old.handshake().names?.first == "localhost")
            termination.replace(
                by: try ListenerSecurity(
                    identities: [Self.identity(SampleCertificates.otherHost)], protocols: ["http/1.1"]))
            let new = try await gateway.connect(ClientTLS())
            #expect(try await new.handshake().names?.first == "other.example")
            for client in [old, new] {
                client.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await client.receive(through: "}").hasPrefix("HTTP/1.1 401 "))
            }
        }
    }

    // MARK: What is not spoken

    @Test func `a listener for HTTP 2 only accepts no other protocol`() async throws {
        var settings = GatewaySettings()
        settings.service = .secure(
            TLSTermination(try ListenerSecurity(identities: [Self.identity()], protocols: ["h2"])))
        try await withGateway(settings) { gateway in
            for offered in [[], ["http/1.1"]] {
                let client = try await gateway.connect(ClientTLS { $0.applicationProtocols = offered })
                client.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await client.ends())
                #expect(client.bytes.isEmpty)
            }
        }
    }

    @Test(arguments: [TLSVersion.tlsv1, .tlsv11]) func `TLS below 1.2 is refused`(version: TLSVersion) async throws {
        try await withGateway(Self.settings()) { gateway in
            let tls = try ClientTLS { configuration in
                configuration.minimumTLSVersion = .tlsv1
                configuration.maximumTLSVersion = version
            }
            let client = try await gateway.connect(tls)
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.ends())
            #expect(client.bytes.isEmpty)
            try await eventually { gateway.gateway.state.connections.handshakes.counts == [.failed: 1] }
        }
    }

    @Test func `a listener may require TLS 1.3`() async throws {
        try await withGateway(Self.settings(floor: .tls13)) { gateway in
            let client = try await gateway.connect(ClientTLS { $0.maximumTLSVersion = .tlsv12 })
            #expect(try await client.ends())
            let newer = try await gateway.connect(ClientTLS())
            _ = try await newer.handshake()
        }
    }

    @Test func `TLS 1.2 cipher suites without forward secrecy are refused`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let tls = try ClientTLS { configuration in
                configuration.maximumTLSVersion = .tlsv12
                configuration.cipherSuiteValues = [
                    .TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA,
                ]
            }
            #expect(try await gateway.connect(tls).ends())
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "SSH-2.0-x\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
    func `plain text on a TLS listener is never answered in plain text`(text: String) async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            client.send(text)
            #expect(try await client.ends())
            #expect(!client.text.contains("HTTP"))
            #expect(gateway.gateway.requestCount == 0)
        }
    }

    @Test func `T398 a handshake that does not complete is closed in time`() async throws {
        var settings = try Self.settings()
        settings.timeouts.handshake = .milliseconds(200)
        try await withGateway(settings) { gateway in
            // A record header of a handshake message whose bytes never arrive.
            var clients: [RawPeer] = []
            for _ in 0..<200 {
                let client = try await gateway.connect()
                client.send([22, 3, 1, 0, 200, 1])
                clients.append(client)
            }
            for client in clients { #expect(try await client.ends()) }
            #expect(gateway.gateway.state.connections.handshakes.counts == [.timedOut: 200])
            try await eventually { gateway.gateway.openConnections == 0 }
        }
    }

    @Test func `T398 an endless ClientHello is not buffered`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            // A handshake message of 16 MB, in records of the maximum size.
            let record = [22, 3, 1, 0x40, 0] as [UInt8]
            client.send(record + [1, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 16380))
            for _ in 0..<20 { client.send(record + [UInt8](repeating: 0, count: 16384)) }
            #expect(try await client.ends(within: .seconds(2)))
            try await eventually { gateway.gateway.state.connections.handshakes.counts == [.failed: 1] }
        }
    }

    @Test func `T398 a request in TLS records of one byte each is answered`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect(ClientTLS())
            for byte in Array("GET /private HTTP/1.1\r\nHost: a\r\n\r\n".utf8) { try await client.sendAll([byte]) }
            #expect(try await client.receive(through: "}").hasPrefix("HTTP/1.1 401 "))
        }
    }

    @Test func `the head timeout applies after the handshake`() async throws {
        var settings = try Self.settings()
        settings.timeouts.head = .milliseconds(300)
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect(ClientTLS())
            client.send("GET / HT")
            #expect(try await client.receiveToEnd().hasPrefix("HTTP/1.1 408 "))
        }
    }

    // MARK: Certificates of clients

    private static func clients(of authority: CertificateAuthority, areRequired: Bool) throws -> ClientCertificates {
        let anchors = try #require(TrustAnchors(pem: Array(Data(contentsOf: authority.anchor))))
        return ClientCertificates(anchors: anchors, areRequired: areRequired)
    }

    private static func showing(_ identity: CertificateAuthority.Identity) throws -> ClientTLS {
        let chain = try NIOSSLCertificate.fromPEMFile(identity.certificate.path)
        let key = try NIOSSLPrivateKey(file: identity.key.path, format: .pem)
        return try ClientTLS { configuration in
            configuration.certificateChain = chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(key)
        }
    }

    @Test func `a required client certificate is enforced, and each request has its thumbprint`()
        async throws
    {
        let authority = try CertificateAuthority()
        let app = try authority.issue("app")
        try await withGateway(Self.settings(clients: Self.clients(of: authority, areRequired: true))) { gateway in
            let nobody = try await gateway.connect(ClientTLS())
            nobody.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await nobody.ends())
            #expect(nobody.bytes.isEmpty)
            #expect(gateway.gateway.requestCount == 0)
            let somebody = try await gateway.connect(Self.showing(app))
            somebody.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await somebody.receive(through: "}").hasPrefix("HTTP/1.1 401 "))
            let line = try #require(try await gateway.logLines(1).first)
            let thumbprint = try Self.thumbprint(of: app.certificate)
            #expect(line.contains("\"client_certificate\":\"\(thumbprint)\""))
        }
    }

    @Test func `an optional client certificate is requested, and an invalid one refused`() async throws {
        let authority = try CertificateAuthority()
        let elsewhere = try CertificateAuthority(named: "Somebody else")
        let foreign = try elsewhere.issue("app")
        try await withGateway(Self.settings(clients: Self.clients(of: authority, areRequired: false))) { gateway in
            let nobody = try await gateway.connect(ClientTLS())
            nobody.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await nobody.receive(through: "}").hasPrefix("HTTP/1.1 401 "))
            let unknown = try await gateway.connect(Self.showing(foreign))
            unknown.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await unknown.ends())
            #expect(unknown.bytes.isEmpty)
            let line = try #require(try await gateway.logLines(1).first)
            #expect(line.contains("\"client_certificate\":null"))
        }
    }

    private static func thumbprint(of certificate: URL) throws -> String {
        let encoded = try #require(try NIOSSLCertificate.fromPEMFile(certificate.path).first).toDERBytes()
        let digest = SHA256.digest(of: encoded.span)
        return Data(try #require(digest)).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    // MARK: Redirects

    @Test(arguments: [
        ("GET /a/%7eb?x=1&y=%20 HTTP/1.1\r\nHost: Api.Example:8080", 443, "https://Api.Example/a/%7eb?x=1&y=%20"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0", 443, "https://a/"),
        ("GET http://b:80?q HTTP/1.1\r\nHost: b", 8443, "https://b:8443/?q"),
        ("OPTIONS * HTTP/1.1\r\nHost: [::1]:80", 8443, "https://[::1]:8443/"),
    ])
    func `a redirecting listener sends every request to https`(head: String, port: Int, location: String)
        async throws
    {
        var settings = GatewaySettings()
        settings.service = .redirect(HTTPSRedirect(port: port))
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            for _ in 1...2 {
                client.send(head + "\r\n\r\n")
                let answer = try await client.receive(through: "\r\n\r\n")
                #expect(firstLine(answer) == "HTTP/1.1 308 Permanent Redirect")
                #expect(values("location", in: answer) == [location])
            }
            #expect(gateway.upstream.connectionCount == 0)
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"])
    func `a request without a valid host is 400 on a redirecting listener`(head: String) async throws {
        var settings = GatewaySettings()
        settings.service = .redirect(HTTPSRedirect())
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            client.send(head)
            let answer = try await client.receiveToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
            #expect(!answer.lowercased().contains("location:"))
        }
    }
}
