import ArgumentParser
import AsyncHTTPClient
import ConfigurationFile
import NIOCore
import NIOHTTP1

/// `bearward health`: ask the gateway that runs with this file how it is, for a container's health check.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask the running gateway whether it is ready, as a container's health check does.",
        discussion: """
            It asks /readyz at the file's `admin` address, and prints the answer. Ends with 0 if that is 200, with 1 if it is another, with \
            69 if there is none in time, and with 78 if the file has errors or no `admin`.
            """)

    @OptionGroup var file: ConfigurationOptions

    @Flag(help: "Ask /livez instead: whether the process answers at all, ready or not.")
    var live = false

    @Option(help: "How many seconds to wait for the answer, 1 to 60.")
    var timeout = 2

    /// In bytes; /readyz has a few hundred for each issuer.
    private static let longestAnswer = 16 * 1024 * 1024

    func validate() throws {
        guard (1...60).contains(timeout) else { throw ValidationError("--timeout is 1 to 60 seconds") }
    }

    func run() async throws {
        StandardStreams.secure()
        let url = try address() + (live ? "/livez" : "/readyz")
        let status: UInt
        let body: ByteBuffer
        do {
            let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(Int64(timeout)))
            status = response.status.code
            body = try await response.body.collect(upTo: Self.longestAnswer)
        } catch {
            StandardStreams.message("bearward: no answer from \(url): \(error)")
            throw ExitCode.unavailable
        }
        try StandardStreams.data(String(buffer: body))
        guard status == 200 else { throw ExitCode(1) }
    }

    /// Where the admin listener is reached from this machine. Warnings of the file are for `check`.
    private func address() throws -> String {
        let result = file.load()
        guard case .success(let configuration, _) = result else {
            result.problems.forEach(file.tell)
            throw ExitCode.configurationErrors
        }
        guard let admin = configuration.admin, admin.port != 0 else {
            let cause = configuration.admin == nil ? "has no `admin` address" : "lets the system choose the port of `admin`"
            StandardStreams.message("\(file.name): \(cause), so nobody can be asked; write `admin: 127.0.0.1:9901`")
            throw ExitCode.configurationErrors
        }
        return "http://\(admin.reachable)"
    }
}

extension ListenAddress {
    /// An address that is listened on at every interface is reached at the loopback one.
    fileprivate var reachable: String {
        switch host {
        case "0.0.0.0": "127.0.0.1:\(port)"
        case "::": "[::1]:\(port)"
        default: text
        }
    }
}
