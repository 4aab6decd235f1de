import DevelopmentIssuer
import Foundation
import Testing

/// Clients of HTTP/2 that break off, against the real gateway: its worker lives, and serves others.
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
        last.receive { _ in false }
        #expect(last.statuses == [200])
        let errors = edge.gateway.gateway.standardError
        #expect(ProcessFigures(edge.gateway.gateway).pid == worker, "the worker was replaced: \(errors.suffix(500))")
        await edge.stop()
        await shop.stop()
    }
}
