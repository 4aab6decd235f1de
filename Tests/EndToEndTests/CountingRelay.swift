import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// A relay in front of a server that forwards and counts requests. On demand it closes connections without an answer.
final class CountingRelay: Sendable {
    private let server: LoopbackServer
    private let life: Life

    private init(server: LoopbackServer, life: Life) {
        self.server = server
        self.life = life
    }

    /// Starts a relay.
    ///
    /// - Parameter origin: the base URL of the server behind it.
    static func start(before origin: String) async throws -> CountingRelay {
        let life = Life()
        let server = try await LoopbackServer.start { request in
            guard life.isUp.withLock({ $0 }) else { throw Dead() }
            return try await pass(request, to: origin)
        }
        return CountingRelay(server: server, life: life)
    }

    func url(_ path: String) -> String { server.url + path }

    func count(of path: String) -> Int { server.count(of: path) }

    /// Makes the relay close every connection in place of an answer. Requests are still counted.
    func die() {
        life.isUp.withLock { $0 = false }
    }

    func revive() {
        life.isUp.withLock { $0 = true }
    }

    func stop() async {
        await server.stop()
    }

    private static func pass(_ request: LoopbackRequest, to origin: String) async throws -> LoopbackReply {
        var asked = HTTPClientRequest(url: origin + request.target)
        asked.method = request.method
        asked.headers = withoutFraming(request.fields)
        asked.headers.remove(name: "Host")
        if request.body.readableBytes > 0 { asked.body = .bytes(request.body) }
        let response = try await HTTPClient.shared.execute(asked, timeout: .seconds(10))
        let body = try await response.body.collect(upTo: 1 << 20)
        return LoopbackReply(status: response.status, fields: withoutFraming(response.headers), body: body)
    }

    private static func withoutFraming(_ fields: HTTPHeaders) -> HTTPHeaders {
        var fields = fields
        for name in ["Connection", "Content-Length", "Transfer-Encoding"] { fields.remove(name: name) }
        return fields
    }

    private final class Life: Sendable {
        let isUp = Mutex(true)
    }

    private struct Dead: Error {}
}
