import DevelopmentIssuer
import Foundation
import TestSupport
import Testing

/// HTTP/2 clients that break off, against the real gateway. Its worker stays alive and leaks nothing.
@Suite(.serialized) struct HTTP2FaultTests {
    private static let both = "protocols: [h2c, http/1.1]"

    /// A preface, settings, and more pings than fit in one read.
    private static let preface: [UInt8] =
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
        + (0..<300).flatMap { _ in [0, 0, 8, 6, 0, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 8) }

    @Test func `clients that reset while HTTP 2 begins do not crash the worker`() async throws {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(listener: Self.both, upstream: shop.url)
        let worker = ProcessFigures(edge.gateway.gateway).pid
        // The reset has to come between the gateway's first read and its first write, so it is sent at many different
        // moments.
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
        // The gateway may still be busy with the earlier connections.
        last.receive(atMost: .seconds(60)) { _ in false }
        #expect(last.statuses == [200])
        let errors = edge.gateway.gateway.standardError
        #expect(ProcessFigures(edge.gateway.gateway).pid == worker, "the worker was replaced: \(errors.suffix(500))")
        await edge.stop()
        await shop.stop()
    }

    @Test(.slow, .enabled(if: Interop.python != nil), arguments: ["clear", "tls"])
    func `streams that break in the segment that opens them leak no memory`(how: String) async throws {
        let shop = try await SampleShop.start()
        let edge =
            how == "tls"
            ? try await EdgeFixture.start(upstream: shop.url)
            : try await EdgeFixture.start(listener: Self.both, upstream: shop.url)
        let figures = ProcessFigures(edge.gateway.gateway)
        // Warm-up for memory that the gateway allocates once for this many connections.
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

    /// Breaks this many streams of each kind, and waits until the gateway has no connection and no request left.
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
