import Foundation
import NIOSSL
import ProxySettings
import TestSupport
import Testing
import TransportSecurity

@testable import ReverseProxy

/// TLS with upstreams, over real sockets.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayUpstreamTLSTests {
    /// The TLS context of an upstream with its certificate.
    private static func server(
        _ certificate: String = SampleCertificates.localhost, _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(SampleCertificates.privateKey.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        change(&configuration)
        return try NIOSSLContext(configuration: configuration)
    }

    /// Runs a test with an upstream that is verified against the test authority.
    private func withUpstream(
        _ tls: NIOSSLContext?, host: String = "localhost", settings: TargetSecurity = TargetSecurity(caFile: "ca.pem"),
        identity: TLSIdentity? = nil,
        anchors: TrustAnchors? = TrustAnchors(pem: Array(SampleCertificates.trustAnchor.utf8)),
        timeouts: ProxyTimeouts = ProxyTimeouts(drain: .milliseconds(300)),
        _ body: @Sendable (GatewayFixture) async throws -> Void,
    ) async throws {
        let upstream = try await RawUpstream.start(tls: tls)
        var gateway = GatewaySettings()
        gateway.timeouts = timeouts
        let security = try UpstreamSecurity(
            anchors: anchors, identity: identity, floor: settings.floor, protocols: ["http/1.1"])
        gateway.upstreamTLS = [settings: UpstreamTLS(security)]
        let target = UpstreamTarget(host: host, port: upstream.target.port, security: settings)
        try await withGateway(gateway, targets: [target], upstream: upstream, body)
    }

    private static let request = "GET /a HTTP/1.1\r\nHost: api.example\r\n\r\n"

    /// Sends one request and expects that it reaches no upstream.
    private func expectRefusal(_ gateway: GatewayFixture) async throws {
        let client = try await gateway.connect()
        client.send(Self.request)
        let head = try await client.receive(through: "\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 502 "))
    }

    // MARK: Requests

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a request is sent to an upstream whose certificate proves its name or address`(
        host: String
    )
        async throws
    {
        try await withUpstream(Self.server(), host: host) { gateway in
            let client = try await gateway.connect()
            for number in 1...3 {
                client.send(Self.request)
                let server = try await gateway.upstream.connection()
                #expect(firstLine(try await server.receive(through: "\r\n\r\n")) == "GET /a HTTP/1.1")
                server.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)")
                #expect(try await client.receive(through: "\r\n\r\n\(number)").hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `large bodies pass over TLS to the upstream in both directions`() async throws {
        try await withUpstream(Self.server()) { gateway in
            let body = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
            let client = try await gateway.connect()
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

    @Test func `a configured server name is sent and verified in place of the host`() async throws {
        let settings = TargetSecurity(caFile: "ca.pem", serverName: "other.example")
        try await withUpstream(Self.server(SampleCertificates.otherHost), host: "127.0.0.1", settings: settings) {
            gateway in
            let client = try await gateway.connect()
            client.send(Self.request)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 204 No Content\r\n\r\n")
            #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 204 "))
        }
    }

    @Test func `an upstream that requests a client certificate gets the gateway's`() async throws {
        let authority = try CertificateAuthority()
        let files = try authority.issue("gateway")
        let identity = try TLSIdentity(
            certificate: Array(Data(contentsOf: files.certificate)), key: Array(Data(contentsOf: files.key)))
        let anchors = try NIOSSLCertificate.fromPEMFile(authority.anchor.path)
        let server = try Self.server { configuration in
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(anchors)
        }
        try await withUpstream(server, identity: identity) { gateway in
            let client = try await gateway.connect()
            client.send(Self.request)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 204 No Content\r\n\r\n")
            #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 204 "))
        }
        try await withUpstream(server) { gateway in
            try await expectRefusal(gateway)
        }
    }

    // MARK: Who does not prove it

    @Test(arguments: [
        (SampleCertificates.expired, "localhost", #"^the certificate expired at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"#),
        (SampleCertificates.otherHost, "localhost", "^the certificate is for other.example; expected: localhost$"),
        (SampleCertificates.otherHost, "127.0.0.1", "^the certificate is for other.example; expected: 127.0.0.1$"),
    ])
    func `T339 an upstream with an invalid certificate is 502, and nothing is sent in the clear`(
        certificate: String, host: String, error: String
    ) async throws {
        try await withUpstream(Self.server(certificate), host: host) { gateway in
            try await expectRefusal(gateway)
            for index in 0..<gateway.upstream.connectionCount {
                #expect(try await gateway.upstream.connection(index).bytes.isEmpty)
            }
            let line = try #require(try await gateway.logLines(1).first)
            #expect(line.contains("\"reason\":\"upstream_unreachable\""))
            let told = try #require(upstreamError(in: line), "\(line)")
            #expect(told.contains(try Regex(error)), "\(told)")
            try await expectOutcomes([.certificate: 2], gateway)
        }
    }

    @Test func `T339 an upstream certificate of another authority is refused, even of the system's`() async throws {
        try await withUpstream(Self.server(), anchors: nil) { gateway in
            try await expectRefusal(gateway)
            #expect(upstreamError(in: try #require(try await gateway.logLines(1).first)) == PeerCertificate.distrust)
        }
    }

    @Test func `T339 an upstream below TLS 1.2 is 502`() async throws {
        let old = try Self.server { configuration in
            configuration.minimumTLSVersion = .tlsv1
            configuration.maximumTLSVersion = .tlsv11
        }
        try await withUpstream(old) { gateway in
            try await expectRefusal(gateway)
            let line = try #require(try await gateway.logLines(1).first)
            #expect(upstreamError(in: line) == "TLS failed: no common TLS version")
        }
        let newer = TargetSecurity(caFile: "ca.pem", floor: .tls13)
        try await withUpstream(try Self.server { $0.maximumTLSVersion = .tlsv12 }, settings: newer) { gateway in
            try await expectRefusal(gateway)
        }
    }

    @Test func `F24 an upstream without TLS and a silent upstream are refused in time`() async throws {
        var timeouts = ProxyTimeouts(drain: .milliseconds(300))
        timeouts.connect = .milliseconds(300)
        try await withUpstream(nil, timeouts: timeouts) { gateway in
            let client = try await gateway.connect()
            client.send(Self.request)
            let server = try await gateway.upstream.connection()
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            // The second attempt waits for its deadline.
            #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 504 "))
            #expect(!server.text.contains("GET /a"))
            let line = try #require(try await gateway.logLines(1).first)
            #expect(upstreamError(in: line) == "TLS handshake not complete within `connect`")
            try await expectOutcomes([.tlsFailed: 1, .tlsTimeout: 1], gateway)
        }
    }

    // MARK: Ends

    @Test func `a close-delimited body is complete only if the upstream sent close_notify`() async throws {
        for isCut in [false, true] {
            try await withUpstream(Self.server()) { gateway in
                let client = try await gateway.connect()
                client.send(Self.request)
                let server = try await gateway.upstream.connection()
                _ = try await server.receive(through: "\r\n\r\n")
                try await server.sendAll(Array("HTTP/1.1 200 OK\r\nDate: d\r\n\r\nhalf".utf8))
                _ = try await client.receive(through: "half")
                if isCut { try await server.cut() } else { server.close() }
                if isCut {
                    #expect(try await client.ends())
                    #expect(client.wasReset)
                } else {
                    _ = try await client.receive(through: "0\r\n\r\n")
                }
            }
        }
    }

    @Test func `surplus bytes after a response are never taken for another response`() async throws {
        try await withUpstream(Self.server()) { gateway in
            let client = try await gateway.connect()
            client.send(Self.request)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen")
            _ = try await client.receive(through: "\r\n\r\n1")
            client.send(Self.request)
            let fresh = try await gateway.upstream.connection(1)
            _ = try await fresh.receive(through: "\r\n\r\n")
            fresh.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2")
            #expect(try await client.receive(through: "\r\n\r\n2").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `T338 targets with different TLS settings share no connection`() {
        let plain = UpstreamTarget(host: "a", port: 443)
        let variants = [
            TargetSecurity(), TargetSecurity(caFile: "ca.pem"), TargetSecurity(serverName: "b"),
            TargetSecurity(floor: .tls13),
            TargetSecurity(identity: IdentityFiles(certificate: "c.pem", key: "c.key")),
        ]
        let targets = variants.map { UpstreamTarget(host: "a", port: 443, security: $0) } + [plain]
        let pool = UpstreamPool(UpstreamTally())
        #expect(Set(targets.map { ObjectIdentifier(pool.pool(for: $0)) }).count == targets.count)
        #expect(
            pool.pool(for: targets[0])
                === pool.pool(for: UpstreamTarget(host: "a", port: 443, security: TargetSecurity())))
    }
}
