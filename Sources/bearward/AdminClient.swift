import ArgumentParser
import AsyncHTTPClient
import ConfigurationFile
import KeySetFetching
import NIOCore
import NIOHTTP1

/// HTTP client of the commands, for the admin listener of a running gateway.
///
/// It does not retry: if nothing listens there, it reports that at once.
enum AdminClient {
    /// Sends a request and returns status and body of the answer. If there is none in time, it reports the reason and
    /// throws exit code 69.
    ///
    /// - Parameter longestAnswer: maximum size of the body in bytes.
    static func answer(to request: HTTPClientRequest, within timeout: TimeAmount, longestAnswer: Int) async throws -> (
        UInt, ByteBuffer
    ) {
        do {
            let response = try await client.execute(request, timeout: timeout)
            return (response.status.code, try await response.body.collect(upTo: longestAnswer))
        } catch {
            StandardStreams.tell(
                .error, "no answer from \(request.url): \(PlainReason.of(error)); does a gateway run with this file?")
            throw ExitCode.unavailable
        }
    }

    /// Never shut down: it lives as long as the process.
    private static let client = {
        var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
        settings.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: settings)
    }()
}
