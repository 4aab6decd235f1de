import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import StrictJSON

/// One complete answer of a server under test.
struct Answer {
    let status: UInt
    let body: [UInt8]
    private let headers: HTTPHeaders

    /// Values of the field, joined. Nil if it is absent.
    func field(_ name: String) -> String? {
        headers.contains(name: name) ? headers[name].joined(separator: ", ") : nil
    }

    var json: JSONValue {
        get throws {
            try JSONDocument(parsing: body, limits: .document).root
        }
    }

    static func get(_ url: String, headers: [String: String] = [:]) async throws -> Answer {
        try await request("GET", url, headers: headers)
    }

    static func post(_ url: String, form: String, headers: [String: String] = [:]) async throws -> Answer {
        let type = ["Content-Type": "application/x-www-form-urlencoded"]
        return try await request("POST", url, headers: headers.merging(type) { own, _ in own }, body: form)
    }

    static func request(_ method: String, _ url: String, headers: [String: String] = [:], body: String? = nil)
        async throws -> Answer
    {
        var request = HTTPClientRequest(url: url)
        request.method = HTTPMethod(rawValue: method)
        request.headers = HTTPHeaders(headers.map { field in (field.key, field.value) })
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await client.execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 4 * 1024 * 1024)
        return Answer(status: response.status.code, body: Array(bytes.readableBytesView), headers: response.headers)
    }

    /// Client that follows no redirects, so that a test sees the answer itself.
    private static let client = HTTPClient(
        eventLoopGroup: HTTPClient.defaultEventLoopGroup,
        configuration: HTTPClient.Configuration(redirectConfiguration: .disallow),
    )
}
