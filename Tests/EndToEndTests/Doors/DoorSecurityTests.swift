import Foundation
import TestSupport
import Testing

/// Doors over TLS, at which the proxy shows a certificate.
@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: Interop.curl != nil && Interop.openssl != nil))
struct DoorSecurityTests {
    private let authority: CertificateAuthority
    private let door: CertificateAuthority.Identity
    private let proxy: CertificateAuthority.Identity

    init() throws {
        authority = try CertificateAuthority()
        door = try authority.issue("door")
        proxy = try authority.issue("proxy", for: ["DNS:proxy.example"])
    }

    private func text(_ doors: [String]) -> String {
        let tls =
            "tls: {certificate: \(door.certificate.path), key: \(door.key.path), client_ca: \(authority.anchor.path), "
            + "client_certificate: required}"
        return """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            event_loops: 1
            doors:
            \(doors.map { "  - {\($0.replacing("@tls", with: tls))}" }.joined(separator: "\n"))
            resources:
              lab:
                at: [lab.example]
                rules: {GET /public: {public: true}}

            """
    }

    /// Asks a door with curl. Returns the status of the answer, or `000` if there is none.
    private func ask(_ port: Int, _ path: String, as identity: CertificateAuthority.Identity?) async throws -> String {
        let fields = [
            "X-Original-Method: GET", "X-Original-URI: \(path)", "X-Original-Host: lab.example",
            "X-Original-Proto: https",
        ]
        let shown = identity.map { ["--cert", $0.certificate.path, "--key", $0.key.path] } ?? []
        let curl = try BearwardProcess(
            program: try #require(Interop.curl),
            ["-s", "--max-time", "20", "--cacert", authority.anchor.path, "-o", "/dev/null", "-w", "%{http_code}"]
                + shown
                + fields.flatMap { ["-H", $0] } + ["https://127.0.0.1:\(port)/"])
        _ = await curl.exitStatus()
        return curl.standardOutput
    }

    @Test func `only a peer with the proxy's certificate may ask, and others get no answer (T493)`() async throws {
        let (anyone, listed, foreign) = (try FreePort.find(), try FreePort.find(), try FreePort.find())
        let served = try await ServedFile.start(
            text([
                "kind: nginx, address: \"127.0.0.1:\(anyone)\", @tls",
                "kind: nginx, address: \"127.0.0.1:\(listed)\", from: [127.0.0.1/32], @tls",
                "kind: nginx, address: \"127.0.0.1:\(foreign)\", from: [192.0.2.0/24], @tls",
            ]))
        let stranger = try CertificateAuthority(named: "Others").issue("proxy", for: ["DNS:proxy.example"])
        for port in [anyone, listed] {
            #expect(try await ask(port, "/public", as: proxy) == "200")
            #expect(try await ask(port, "/private", as: proxy) == "403")
        }
        // With `from` and a client certificate configured, both are required.
        #expect(try await ask(foreign, "/public", as: proxy) == "403")
        #expect(await served.logHas(lines: 5))
        #expect(served.lastReason == "door_untrusted")
        for port in [anyone, listed, foreign] {
            #expect(try await ask(port, "/public", as: nil) == "000")
            #expect(try await ask(port, "/public", as: stranger) == "000")
            // A question without TLS gets no answer either.
            let plain = try RawConnection(port: port)
            plain.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            plain.receive { _ in false }
            #expect(plain.hasEnded && plain.statuses.isEmpty)
        }
        // The access log has only judged questions, so none of these.
        #expect(try await ask(anyone, "/public", as: proxy) == "200")
        #expect(await served.logHas(lines: 6))
        #expect(served.gateway.standardOutput.split(separator: "\n").count == 6)
        await served.stop()
    }

    @Test(arguments: DoorPeer.installed.filter { $0 != .haproxy })
    func `a proxy with its certificate is answered, and without it its clients get 503`(_ peer: DoorPeer)
        async throws
    {
        let port = try FreePort.find()
        let served = try await ServedFile.start(text(["kind: \(peer.door), address: \"127.0.0.1:\(port)\", @tls"]))
        let upstream = try await LoopbackServer.upstream()
        let address = String(upstream.url.dropFirst("http://".count))
        func status(_ path: String, _ running: DoorPeer.Running) throws -> Int? {
            let connection = try RawConnection(port: running.port)
            connection.send(Array("GET \(path) HTTP/1.1\r\nHost: lab.example\r\nConnection: close\r\n\r\n".utf8))
            connection.receive { _ in false }
            return connection.statuses.first
        }
        let known = try await peer.start(
            door: port, upstream: address, changing: peer.securing(by: authority, as: proxy))
        #expect(try status("/public", known) == 200)
        #expect(try status("/private", known) == 403)
        await known.stop()
        let unknown = try await peer.start(
            door: port, upstream: address, changing: peer.securing(by: authority, as: nil))
        #expect(try status("/public", unknown) == 503)
        await unknown.stop()
        #expect(upstream.count(of: "/public") == 1 && upstream.count(of: "/private") == 0)
        await served.stop()
        await upstream.stop()
    }
}
