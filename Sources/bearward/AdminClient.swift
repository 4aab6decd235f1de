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
    /// Failure to get an answer in time.
    struct NoAnswer: Error {
        let url: String
        let cause: String

        /// Reports the failure, and returns the exit code for it.
        func reported() -> ExitCode {
            StandardStreams.tell(.error, "no answer from \(url): \(cause); does a gateway run with this file?")
            return ExitCode.unavailable
        }
    }

    /// Sends a request and returns status and body of the answer. If there is none in time, it reports the reason and
    /// throws exit code 69.
    ///
    /// - Parameter longestAnswer: maximum size of the body in bytes.
    static func answer(to request: HTTPClientRequest, within timeout: TimeAmount, longestAnswer: Int) async throws -> (
        UInt, ByteBuffer
    ) {
        do throws(NoAnswer) {
            return try await silentAnswer(to: request, within: timeout, longestAnswer: longestAnswer)
        } catch {
            throw error.reported()
        }
    }

    /// Like ``answer(to:within:longestAnswer:)``, but reports nothing.
    static func silentAnswer(to request: HTTPClientRequest, within timeout: TimeAmount, longestAnswer: Int)
        async throws(NoAnswer) -> (UInt, ByteBuffer)
    {
        do {
            let response = try await client.execute(request, timeout: timeout)
            return (response.status.code, try await response.body.collect(upTo: longestAnswer))
        } catch {
            throw NoAnswer(url: request.url, cause: PlainReason.of(error))
        }
    }

    /// Never shut down: it lives as long as the process.
    private static let client = {
        var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
        settings.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: settings)
    }()
}
