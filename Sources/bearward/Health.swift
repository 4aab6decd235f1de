import ArgumentParser
import AsyncHTTPClient
import ConfigurationFile
import NIOCore

/// `bearward health`: asks the running gateway whether it is ready, for a container's health check.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask the running gateway whether it is ready, as a container's health check does.",
        discussion: """
            It asks /readyz at the file's `admin` address, and prints the answer. Exits with 0 if that is 200, with 1 \
            if it is another, with 69 if there is none in time, and with 78 if the file has errors or no `admin`.
            """)

    @OptionGroup var options: ConfigurationOptions

    private var file: ConfigurationSource { options.source }

    @Flag(help: "Ask /livez instead: whether the process answers at all, ready or not.")
    var live = false

    @Option(help: "How many seconds to wait for the answer, 1 to 60.")
    var timeout = 2

    /// Maximum size of an answer in bytes. `/readyz` has a few hundred for each issuer.
    private static let longestAnswer = 16 * 1024 * 1024

    func validate() throws {
        guard (1...60).contains(timeout) else { throw ValidationError("--timeout is 1 to 60 seconds") }
    }

    func run() async throws {
        let url = try file.adminListener().url + (live ? "/livez" : "/readyz")
        let (status, body) = try await AdminClient.answer(
            to: HTTPClientRequest(url: url), within: .seconds(Int64(timeout)), longestAnswer: Self.longestAnswer)
        try StandardStreams.data(String(buffer: body))
        guard status == 200 else { throw ExitCode(1) }
    }
}
