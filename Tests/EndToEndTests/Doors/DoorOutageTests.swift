import Foundation
import TestSupport
import Testing

/// The shipped proxy configurations with a gateway that is down, slow, or replaced by another server.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DoorOutageTests {
    /// The status of the answer to a GET through the proxy.
    private func status(of path: String, at port: Int, within limit: Duration = .seconds(30)) throws -> Int {
        let connection = try RawConnection(port: port)
        connection.send(
            Array(
                "GET \(path) HTTP/1.1\r\nHost: lab.example\r\nConnection: close\r\nAuthorization: Bearer a.b.c\r\n\r\n"
                    .utf8))
        connection.receive(atMost: limit) { _ in false }
        return connection.statuses.first ?? 0
    }

    @Test(arguments: Effort.some(DoorPeer.installed, quick: 1))
    func `a gateway that is down, slow or not understood lets no request in, and clients get 503 (T496)`(
        _ peer: DoorPeer
    ) async throws {
        let (judge, port) = try await Interop.serve(
            "doors.py", with: try #require(Interop.python), before: ["judge", "0"])
        let upstream = try await LoopbackServer.upstream()
        let running = try await peer.start(
            door: try #require(Int(port)), upstream: String(upstream.url.dropFirst("http://".count)))
        // The late answer comes last: a proxy that multiplexes would send later questions on the same connection, which
        // is silent by then.
        var words = [
            "garbage", "nothing", "half", "headless", "number", "five", "huge", "many", "interim", "switch", "old",
            "binary", "late",
        ]
        // The shipped HAProxy script requires the gateway's own field; the other proxies take every 2xx from that
        // address for a permission.
        if peer == .haproxy { words.insert("other", at: 0) }
        for word in words {
            // A 101 is not a final answer, and Traefik passes it on. For a late answer Traefik waits longer than this
            // client.
            let isUnanswered = peer == .traefik && ["switch", "late"].contains(word)
            let seen = try status(of: "/orders/\(word)", at: running.port, within: .seconds(isUnanswered ? 5 : 30))
            try #require(
                running.process.process.isRunning, "ended at \(word): \(running.process.standardError.suffix(4000))")
            #expect(seen == (isUnanswered ? 0 : 503), "\(word): \(seen)")
        }
        judge.signal(SIGKILL)
        _ = await judge.exitStatus()
        #expect(try status(of: "/orders/down", at: running.port) == 503)
        // The other proxies log by themselves that the gateway is unreachable.
        if peer == .haproxy {
            #expect(
                running.process.standardError.contains(
                    "bearward: no verdict from http://127.0.0.1:\(port)/, clients get 503: "))
        }
        #expect((words + ["down"]).allSatisfy { upstream.count(of: "/orders/\($0)") == 0 })
        await running.stop()
        await upstream.stop()
    }
}
