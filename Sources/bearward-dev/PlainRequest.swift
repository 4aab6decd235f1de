import AsyncHTTPClient
import KeySetFetching
import NIOCore
import NIOHTTP1

/// One HTTP request, sent by a client that adds no fields of its own and follows no redirection.
struct PlainRequest: Sendable {
    var method: String
    var url: String
    var fields: [(name: String, value: String)] = []
    var body: String?

    private static let longestAnswer = 1024 * 1024

    func answer() async throws -> PlainAnswer {
        var request = HTTPClientRequest(url: url)
        request.method = HTTPMethod(rawValue: method)
        for field in fields { request.headers.add(name: field.name, value: field.value) }
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await Self.client.execute(request, timeout: .seconds(20))
        let body = try await response.body.collect(upTo: Self.longestAnswer)
        return PlainAnswer(
            status: response.status.code, fields: response.headers.map { field in (field.name, field.value) },
            body: Array(body.readableBytesView),
        )
    }

    func answerOfGateway() async throws(CommandFailure) -> PlainAnswer {
        do {
            return try await answer()
        } catch {
            throw .gatewayUnreachable(PlainReason.of(error))
        }
    }

    /// Never shut down: it lives as long as the process.
    private static let client = HTTPClient(
        eventLoopGroup: HTTPClient.defaultEventLoopGroup,
        configuration: HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: HTTPClient.Configuration.Timeout(connect: .seconds(3)),
            // Short, because a server that has to stop waits for open connections.
            connectionPool: HTTPClient.Configuration.ConnectionPool(idleTimeout: .milliseconds(200)),
        ),
    )
}

/// One HTTP response with its whole body.
struct PlainAnswer: Sendable {
    let status: UInt
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    /// Values of a field, joined by commas. Nil if the field is absent.
    func field(_ name: String) -> String? {
        let values = fields.filter { field in field.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
