import DevelopmentIssuer
import Foundation
import TestSupport
import Testing

/// Clients of HTTP/2 that break off, against the real gateway: its worker lives, and keeps nothing of them.
@Suite(.serialized) struct HTTP2FaultTests {
    private static let both = "protocols: [h2c, http/1.1]"

    /// A preface, settings, and more pings than one read takes.
    private static let preface: [UInt8] =
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
        + (0..<300).flatMap { _ in [0, 0, 8, 6, 0, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 8) }

    @Test func `clients that are gone while the gateway begins to speak HTTP 2 leave its worker alone`() async throws {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(listener: Self.both, upstream: shop.url)
        let worker = ProcessFigures(edge.gateway.gateway).pid
        // The reset has to come between the gateway's first read and its first write, so it comes at many moments.
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let connection = try RawConnection(port: edge.port)
            connection.send(Self.preface)
            connection.resetsWhenClosed()
            let end = ContinuousClock.now + .nanoseconds(Int.random(in: 0..<1_000_000, using: &generator))
            while ContinuousClock.now < end {}
        }
        let last = try RawConnection(port: edge.port)
        last.send(Array("GET /api/status HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
        // The gateway may still be busy with those before.
        last.receive(atMost: .seconds(60)) { _ in false }
        #expect(last.statuses == [200])
        let errors = edge.gateway.gateway.standardError
        #expect(ProcessFigures(edge.gateway.gateway).pid == worker, "the worker was replaced: \(errors.suffix(500))")
        await edge.stop()
        await shop.stop()
    }

    @Test(.slow, .enabled(if: Interop.python != nil), arguments: ["clear", "tls"])
    func `streams that are broken in the segment that opened them are not kept`(how: String) async throws {
        let shop = try await SampleShop.start()
        let edge =
            how == "tls"
            ? try await EdgeFixture.start(upstream: shop.url)
            : try await EdgeFixture.start(listener: Self.both, upstream: shop.url)
        let figures = ProcessFigures(edge.gateway.gateway)
        // What the gateway allocates once, for as many connections as this.
        try await Self.breakStreams(edge, how, count: 80)
        let before = figures.residentKiB
        try await Self.breakStreams(edge, how, count: 350)
        #expect(
            figures.residentKiB - before < 10 * 1024,
            "of 2,100 connections \(figures.residentKiB - before) KiB are left")
        #expect(ProcessFigures(edge.gateway.gateway).pid == figures.pid)
        await edge.stop()
        await shop.stop()
    }

    /// Breaks so many streams of each kind, and waits until the gateway knows of no connection and no request.
    private static func breakStreams(_ edge: EdgeFixture, _ how: String, count: Int) async throws {
        let client = try BearwardProcess(
            program: try #require(Interop.python), [Interop.script("http2_broken.py"), "\(edge.port)", how, "\(count)"])
        #expect(await client.exitStatus(within: .seconds(120)) == 0, "\(client.standardError)")
        let isEmpty = try await BearwardProcess.wait {
            let metrics = try await edge.gateway.administration("/metrics").body
            return metrics.contains("\nbearward_connections 0\n")
                && metrics.contains("\nbearward_requests_in_flight 0\n")
        }
        #expect(isEmpty)
    }
}
