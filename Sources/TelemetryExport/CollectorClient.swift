import AsyncHTTPClient
import KeySetFetching
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SwiftProtobuf
import Telemetry

/// Sends messages to a collector (OTLP/HTTP, opentelemetry-proto 1.x): HTTP/1.1, no redirects, bounded answers.
///
/// The files of the configuration are read when it is made. Its connections close when the last reference is released.
final class CollectorClient: Sendable {
    private let settings: CollectorSettings
    private let fields: CollectorFields?
    private let client: HTTPClient
    let openedAt: ContinuousClock.Instant

    /// Longest time for a request and its answer.
    static let timeLimit = Duration.seconds(10)
    /// Largest answer, in bytes.
    static let longestAnswer = 64 * 1024
    /// Time for which a client is used. After that, changed files take effect.
    static let lifetime = Duration.seconds(60)
    /// Largest file of trust anchors, in bytes.
    private static let longestAnchors = 4 * 1024 * 1024

    /// Makes a client, and reads the configured files.
    init(_ settings: CollectorSettings, proxies: ProxyEnvironment) async throws(ExportFailure) {
        self.settings = settings
        fields = try await Self.fields(settings)
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: try await Self.tls(settings), redirectConfiguration: .disallow,
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        do throws(KeySetFetchFailure) {
            configuration.proxy = try proxies.proxy(for: settings.endpoint).map { proxy in
                let credentials = proxy.credentials.map {
                    HTTPClient.Authorization.basic(username: $0.username, password: $0.password)
                }
                return .server(host: proxy.host, port: proxy.port, authorization: credentials)
            }
        } catch {
            throw ExportFailure(cause: "\(error)")
        }
        client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        openedAt = .now
    }

    private static func fields(_ settings: CollectorSettings) async throws(ExportFailure) -> CollectorFields? {
        guard let path = settings.headersFile else { return nil }
        let bytes = try await content(of: path, atMost: CollectorFields.longestFile)
        do throws(CollectorFields.Fault) {
            return try CollectorFields(bytes)
        } catch {
            throw ExportFailure(cause: "`\(path)`, line \(error.line): \(error.reason)")
        }
    }

    private static func tls(_ settings: CollectorSettings) async throws(ExportFailure) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        guard let path = settings.caFile else { return tls }
        let bytes = try await content(of: path, atMost: longestAnchors)
        guard let anchors = try? NIOSSLCertificate.fromPEMBytes(bytes), !anchors.isEmpty else {
            throw ExportFailure(cause: "`\(path)` holds no PEM certificates")
        }
        tls.trustRoots = .certificates(anchors)
        return tls
    }

    private static func content(of path: String, atMost limit: Int) async throws(ExportFailure) -> [UInt8] {
        do {
            return try await WatchedFile(path: path).read(limit: limit)
        } catch {
            throw ExportFailure(cause: "`\(path)`: \(error.reason)")
        }
    }

    deinit {
        // Requests hold a reference, so only idle connections are closed here. A failure needs no handling.
        client.shutdown { _ in }
    }

    // MARK: Requests

    /// Sends a message.
    ///
    /// - Returns: number of spans or values that the collector says it rejected, and why.
    func send(_ message: [UInt8], as signal: TelemetrySignal) async throws(ExportFailure) -> (
        rejected: Int, why: String
    ) {
        let request = request(message, as: signal)
        let answer = await TimeLimit.run(within: Self.timeLimit) {
            do throws(ExportFailure) {
                return Result<OTLPExportResponse, ExportFailure>.success(try await self.answer(to: request))
            } catch {
                return .failure(error)
            }
        }
        guard let answer else {
            throw ExportFailure(cause: "no answer within \(Self.timeLimit)", mayRetry: true)
        }
        let partial = try answer.get().partialSuccess
        return (Int(clamping: max(0, partial.rejected)), partial.errorMessage)
    }

    private func request(_ message: [UInt8], as signal: TelemetrySignal) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: settings.url(of: signal))
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-protobuf")
        request.headers.add(name: "User-Agent", value: "bearward")
        for field in fields?.fields ?? [] { request.headers.add(name: field.name, value: field.value) }
        request.body = .bytes(ByteBuffer(bytes: message))
        return request
    }

    private func answer(to request: HTTPClientRequest) async throws(ExportFailure) -> OTLPExportResponse {
        let response: HTTPClientResponse
        do {
            response = try await client.execute(request, timeout: .seconds(10))
        } catch {
            throw ExportFailure(cause: PlainReason.of(error), mayRetry: true)
        }
        switch response.status.code {
        case 200..<300: return try await Self.content(of: response)
        case 300..<400: throw ExportFailure(cause: "it answers \(response.status.code), and redirects are not followed")
        // The answers after which the same message may be sent again (OTLP 1.x, "Retryable Response Codes").
        case 429, 502, 503, 504:
            let seconds = response.headers.first(name: "Retry-After").flatMap { UInt16($0) }
            throw ExportFailure(
                cause: "it answers \(response.status.code)", mayRetry: true, retryAfter: seconds.map { .seconds($0) })
        default: throw ExportFailure(cause: "it answers \(response.status.code)")
        }
    }

    private static func content(of response: HTTPClientResponse) async throws(ExportFailure) -> OTLPExportResponse {
        var bytes: [UInt8] = []
        do {
            for try await part in response.body {
                guard part.readableBytes <= longestAnswer - bytes.count else {
                    throw ExportFailure(cause: "its answer is longer than \(longestAnswer) bytes")
                }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let failure as ExportFailure {
            throw failure
        } catch {
            throw ExportFailure(cause: "its answer broke off: \(PlainReason.of(error))")
        }
        // Sent again, data would be there twice if a collector took it and answered something else.
        guard let answer = try? OTLPExportResponse(serializedBytes: bytes) else {
            throw ExportFailure(
                cause: "it answers \(response.status.code), but not as a collector does: is this its address?")
        }
        return answer
    }
}
