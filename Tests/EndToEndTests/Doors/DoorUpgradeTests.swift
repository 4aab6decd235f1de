import Foundation
import TestSupport
import Testing

/// Upgrades through the real proxies. After a protocol switch the gateway judges nothing more.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Interop.pythonWithHypercorn != nil)) struct DoorUpgradeTests {
    @Test(arguments: DoorPeer.installed)
    func `only a lone WebSocket upgrade reaches the application; other upgrades are removed (T500)`(
        _ peer: DoorPeer
    ) async throws {
        let lab = try await ProxiedLab.start(peer)
        let report = try await lab.report("upgrades", as: ProxiedLab.Upgrades.self)
        print("\(peer): \(report.asked) upgrades, \(report.ordinary) requests without, refused: \(report.refused)")
        #expect(report.faults.isEmpty)
        #expect(report.sockets.count == 4, "\(report.sockets)")
        #expect(report.asked == 72)
        // From a list with a WebSocket, Envoy, Traefik and nginx 1.22 may request only the WebSocket.
        #expect(report.ordinary >= 54, "\(report)")
        // nginx refuses a folded line, and Envoy two lines with the same request.
        #expect(report.refused.count <= 2, "\(report.refused)")
        await lab.stop()
    }

    @Test(.slow, arguments: DoorPeer.installed)
    func `only a lone WebSocket upgrade reaches the application over HTTP/2 (T500)`(_ peer: DoorPeer) async throws {
        let (port, changes) = try peer.sessions()
        let lab = try await ProxiedLab.start(peer, changing: changes)
        let report = try await lab.report("sessions", at: port, as: ProxiedLab.Upgrades.self)
        print(
            "\(peer): \(report.asked) upgrades over HTTP/2, \(report.ordinary) requests without, \(report.refused.count) refused"
        )
        #expect(report.faults.isEmpty)
        #expect(report.asked == 9 && report.ordinary >= 1)
        #expect(report.ordinary + report.refused.count <= report.asked)
        await lab.stop()
    }

    @Test(arguments: DoorPeer.installed)
    func `only a page whose origin is in the file opens a WebSocket (T503)`(_ peer: DoorPeer)
        async throws
    {
        let lab = try await ProxiedLab.start(peer)
        let report = try await lab.report("origins", as: ProxiedLab.Openers.self)
        #expect(report.faults.isEmpty)
        #expect(report.opened == ["https://app.example", ""])
        #expect(report.refused == ["https://evil.example", "https://lab.example", "null"])
        #expect(report.ordinary == ["https://app.example", "https://evil.example", "https://lab.example", "null", ""])
        await lab.stop()
    }

    @Test(arguments: DoorPeer.installed)
    func `a server that accepts h2c upgrades by default gets no unjudged request (T500)`(_ peer: DoorPeer)
        async throws
    {
        let lab = try await ProxiedLab.start(peer, before: .hypercorn)
        try await lab.expectNoTunnel()
        await lab.stop()
    }
}

extension DoorPeer {
    /// The port for HTTP/2 without TLS, if it differs, and the configuration changes that enable it there.
    func sessions() throws -> (port: Int?, changes: [String: String]) {
        switch self {
        case .nginx, .currentNginx:
            let port = try FreePort.find()
            return (port, ["include bearward.conf;": "listen 127.0.0.1:\(port) http2;\n        include bearward.conf;"])
        case .caddy: return (nil, ["persist_config off": "persist_config off\n\tservers {\n\t\tprotocols h1 h2c\n\t}"])
        // These proxies recognize HTTP/2 by its first bytes.
        case .haproxy, .envoy, .envoyGRPC, .traefik: return (nil, [:])
        }
    }
}
