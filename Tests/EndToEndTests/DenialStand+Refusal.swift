import NIOHTTP1
import TestSupport
import Testing

extension DenialStand {
    /// Runs a gateway that permitted one request, and refused one of an expired token.
    ///
    /// - Parameter body: gets the request ID of the refused request.
    static func withRefusal(_ body: (DenialStand, ServedFile, _ requestID: String) async throws -> Void) async throws {
        let upstream = try await LoopbackServer.upstream()
        let stand = try DenialStand(upstream: upstream.url)
        let served = try await ServedFile.start(stand.text())
        try stand.put(stand.text(), "bearward.yaml")
        #expect(try await served.ask("/x", token: stand.token("u1")).status == 200)
        let expired = claims("u1").with("exp", "1000").signed(by: TestKeys.ec)
        let refused = try await served.ask("/orders/7", token: expired)
        #expect(refused.status == 401)
        try await body(stand, served, try #require(refused.fields.first(name: "X-Request-ID")))
        await served.stop()
        await upstream.stop()
    }
}
