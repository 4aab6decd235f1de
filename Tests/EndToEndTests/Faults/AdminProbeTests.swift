import TestSupport
import Testing

/// Probes of monitoring, while other clients use up the connections of the admin listener.
@Suite(.serialized) struct AdminProbeTests {
    private static func start() async throws -> ServedFile {
        try await ServedFile.start(
            """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            resources: {open: {at: [/], upstream: "http://127.0.0.1:9", rules: {GET /**: {public: true}}}}

            """)
    }

    /// Sends a request on a connection that stays open, and returns the status of its answer. Nil if there is none.
    private static func ask(_ path: String, on connection: RawConnection, atMost limit: Duration = .seconds(5)) -> Int?
    {
        connection.forgetReceived()
        connection.send(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        connection.receive(atMost: limit) { $0.contains("\r\n\r\n") }
        return connection.statuses.first
    }

    @Test func `other requests use all connections but sixteen, which answer probes`() async throws {
        let served = try await Self.start()
        let port = served.adminPort
        var others: [RawConnection] = []
        for _ in 0..<48 {
            let connection = try RawConnection(port: port)
            #expect(Self.ask("/api/upstreams", on: connection) == 200)
            others.append(connection)
        }
        // Whatever it is for, also if it would be refused.
        for path in ["/", "/api/upstreams", "/issuers/logto/refresh", "/nothing"] {
            let connection = try RawConnection(port: port)
            #expect(Self.ask("/livez", on: connection) == 200)
            #expect(Self.ask(path, on: connection) == 503)
            connection.receive { _ in connection.isClosedByPeer }
            #expect(connection.text.lowercased().contains("\r\nconnection: close\r\n"))
            #expect(connection.text.contains("the last 16 are for /livez, /readyz and /metrics"))
            #expect(connection.isClosedByPeer)
        }
        let probes = try (0..<16).map { _ in try RawConnection(port: port) }
        for path in ["/livez", "/readyz", "/metrics"] {
            for probe in probes { #expect(Self.ask(path, on: probe) == 200, "\(path)") }
        }
        #expect(Self.ask("/api/upstreams", on: others[0]) == 200)
        #expect(Self.ask("/livez", on: others[0]) == 200)
        others.removeFirst()
        let isServed = await BearwardProcess.wait {
            // As many as the ended one are served, on a connection of a probe too.
            probes.contains { Self.ask("/api/upstreams", on: $0) == 200 }
        }
        #expect(isServed)
        await served.stop()
    }

    @Test func `clients that send no request, or half of one, keep no probe out`() async throws {
        let served = try await Self.start()
        let port = served.adminPort
        let first = try RawConnection(port: port)
        #expect(Self.ask("/api/upstreams", on: first) == 200)
        var silent: [RawConnection] = []
        for number in 0..<150 {
            let connection = try RawConnection(port: port)
            if number.isMultiple(of: 2) { connection.sendSome(Array("GET /livez HTTP/1.1\r\nHost:".utf8)) }
            silent.append(connection)
        }
        for path in ["/livez", "/readyz", "/metrics"] {
            // Accepted within the patience with those that came before, far below the limit of idle connections.
            #expect(Self.ask(path, on: try RawConnection(port: port), atMost: .seconds(10)) == 200, "\(path)")
        }
        #expect(Self.ask("/api/upstreams", on: first) == 200, "a client with a request was disconnected")
        #expect(silent.contains { !$0.isClosedByPeer }, "more were disconnected than necessary")
        await served.stop()
    }
}
