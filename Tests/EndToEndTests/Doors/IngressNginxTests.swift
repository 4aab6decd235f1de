import Foundation
import TestSupport
import Testing

/// The example of ingress-nginx for Kubernetes, as the controller's template renders it for nginx.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(
        if: Interop.nginx != nil && Interop.headersMore != nil && Interop.pythonWithHypercorn != nil,
        "no nginx, its module or Python")
)
struct IngressNginxTests {
    /// The rendered example, for a host of the gateway and another host.
    private static func rendered(door: Int, application: String) async throws -> [String: String] {
        let example = Interop.packageDirectory.appendingPathComponent("deploy/kubernetes/examples/ingress-nginx.yaml")
            .path
        let renderer = try BearwardProcess(
            program: try #require(Interop.pythonWithHypercorn),
            [
                Interop.script("ingress_nginx.py"), example, try #require(Interop.headersMore), "\(door)", application,
                "lab.example",
                "other.example",
            ])
        #expect(await renderer.exitStatus() == 0, "\(renderer.standardError)")
        return ["nginx.conf": renderer.standardOutput]
    }

    @Test func `only a lone WebSocket upgrade reaches the application (T500)`() async throws {
        let lab = try await ProxiedLab.start(.nginx, instead: Self.rendered)
        let report = try await lab.report("upgrades", as: ProxiedLab.Upgrades.self)
        #expect(report.faults.isEmpty)
        #expect(report.sockets.count == 4, "\(report.sockets)")
        #expect(report.asked == 72)
        // A request with a WebSocket key is forwarded as a WebSocket request, whatever else it asks for.
        #expect(report.ordinary >= 30, "\(report)")
        #expect(report.refused.count <= 2, "\(report.refused)")
        await lab.stop()
    }

    @Test func `only a page whose origin is in the file opens a WebSocket (T503)`() async throws {
        let lab = try await ProxiedLab.start(.nginx, instead: Self.rendered)
        let report = try await lab.report("origins", as: ProxiedLab.Openers.self)
        #expect(report.faults.isEmpty)
        #expect(report.opened == ["https://app.example", ""])
        #expect(report.refused == ["https://evil.example", "https://lab.example", "null"])
        await lab.stop()
    }

    @Test func `a server that accepts h2c upgrades by default gets no unjudged request (T500)`() async throws {
        let lab = try await ProxiedLab.start(.nginx, before: .hypercorn, instead: Self.rendered)
        try await lab.expectNoTunnel()
        await lab.stop()
    }

    @Test(arguments: Effort.some(DoorNameTests.Form.allCases, quick: 1))
    func `no spelling of a field that is never forwarded reaches the application (T501)`(_ form: DoorNameTests.Form)
        async throws
    {
        let port = form == .sessions ? try FreePort.find() : nil
        let changes = port.map { ["# HTTP/2": "listen 127.0.0.1:\($0) http2;"] } ?? [:]
        let lab = try await ProxiedLab.start(.nginx, changing: changes, instead: Self.rendered)
        let report = try await lab.report(
            "names", at: port, [lab.tokens.goodText, form.rawValue], as: ProxiedLab.Names.self)
        DoorNameTests.check(report, form, through: .nginx)
        await lab.stop()
    }

    @Test func `the judged host is the host of the selected server, whatever Host is sent (T502)`() async throws {
        let lab = try await ProxiedLab.start(.nginx, instead: Self.rendered)
        func status(_ line: String, host: String) throws -> Int? {
            let connection = try RawConnection(port: lab.peer.port)
            connection.send(Array("\(line) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8))
            connection.receive { _ in false }
            return connection.statuses.first
        }
        #expect(try status("GET /public/x", host: "lab.example") == 200)
        #expect(try status("GET /public/x", host: "lab.example:8080") == 200)
        // No resource is at the other host, so that nothing is permitted there.
        #expect(try status("GET /public/x", host: "other.example") == 403)
        for method in ["GET", "DELETE"] {
            #expect(try status("\(method) http://other.example/public/x", host: "lab.example") == 403)
            #expect(try status("\(method) http://OTHER.example:80/public/x", host: "lab.example") == 403)
        }
        #expect(try status("GET http://lab.example/public/x", host: "other.example") == 200)
        #expect(try status("GET http://lab.example/admin/users/1", host: "other.example") == 401)
        await lab.stop()
    }
}
