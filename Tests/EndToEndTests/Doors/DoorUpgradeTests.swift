import Foundation
import TestSupport
import Testing

/// Upgrades through the real proxies: behind one that is switched to, nobody judges.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Interop.pythonWithHypercorn != nil)) struct DoorUpgradeTests {
    @Test(arguments: DoorPeer.installed)
    func `no upgrade but a lone WebSocket's reaches the application, and the request goes on without it (T500)`(
        _ peer: DoorPeer
    ) async throws {
        let lab = try await ProxiedLab.start(peer)
        let report = try await lab.report("upgrades", as: ProxiedLab.Upgrades.self)
        print("\(peer): \(report.asked) upgrades, \(report.ordinary) requests without, refused: \(report.refused)")
        #expect(report.faults.isEmpty)
        #expect(report.sockets.count == 4, "\(report.sockets)")
        #expect(report.asked == 72)
        // Where a list has a WebSocket, Envoy, Traefik and nginx 1.22 may ask for that alone.
        #expect(report.ordinary >= 54, "\(report)")
        // nginx refuses a folded line, and Envoy two that ask for the same.
        #expect(report.refused.count <= 2, "\(report.refused)")
        await lab.stop()
    }

    @Test(.slow, arguments: DoorPeer.installed)
    func `nor does one over HTTP/2 (T500)`(_ peer: DoorPeer) async throws {
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
    func `a page whose origin is not in the file opens no WebSocket, and one that is does (T503)`(_ peer: DoorPeer)
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
    func `a server that takes h2c as it is installed gets no request that nobody judged (T500)`(_ peer: DoorPeer)
        async throws
    {
        let lab = try await ProxiedLab.start(peer, before: .hypercorn)
        try await lab.expectNoTunnel()
        await lab.stop()
    }
}

extension DoorPeer {
    /// The port of HTTP/2 without TLS, if it is another, and what of the configuration has the proxy speak it there.
    func sessions() throws -> (port: Int?, changes: [String: String]) {
        switch self {
        case .nginx, .currentNginx:
            let port = try FreePort.find()
            return (port, ["include bearward.conf;": "listen 127.0.0.1:\(port) http2;\n        include bearward.conf;"])
        case .caddy: return (nil, ["persist_config off": "persist_config off\n\tservers {\n\t\tprotocols h1 h2c\n\t}"])
        // They tell it by its first bytes.
        case .haproxy, .envoy, .envoyGRPC, .traefik: return (nil, [:])
        }
    }
}
