import ArgumentParser
import AsyncHTTPClient
import ConfigurationFile
import KeySetFetching
import NIOCore
import NIOHTTP1

/// The commands' client of the admin listener of a running gateway.
///
/// Says at once that nobody listens, and tries no second time.
enum AdminClient {
    /// Status and content of the answer; if there is none in time, the command ends with 69 and the reason.
    ///
    /// - Parameter longestAnswer: in bytes.
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

    /// Lives as long as the process.
    private static let client = {
        var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
        settings.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: settings)
    }()
}
