import Foundation
import Testing

/// `bearward-dev issuer --as` in a separate process.
final class IssuerProcess: Sendable {
    /// The base URL of its endpoints.
    let url: String
    private let process: BearwardProcess

    private init(url: String, process: BearwardProcess) {
        self.url = url
        self.process = process
    }

    static func start(as role: String) async throws -> IssuerProcess {
        let process = try BearwardProcess(["issuer", "--listen", "127.0.0.1:0", "--as", role], command: "bearward-dev")
        var url: String?
        _ = await BearwardProcess.wait {
            url = process.standardOutput.firstMatch(of: /token endpoint +(http:[^ ]+)\/token/).map {
                String($0.output.1)
            }
            return url != nil
        }
        return IssuerProcess(url: try #require(url), process: process)
    }

    /// Output of `bearward-dev token` for this issuer.
    struct Answer {
        let status: Int32?
        let output: String
        let errors: String

        /// The token. Nil if the command failed.
        var token: String? { status == 0 ? output.trimmingCharacters(in: .newlines) : nil }
    }

    func token(_ arguments: [String]) async throws -> Answer {
        let asked = try BearwardProcess(["token", "--issuer", url] + arguments, command: "bearward-dev", input: "")
        let status = await asked.exitStatus()
        return Answer(status: status, output: asked.standardOutput, errors: asked.standardError)
    }

    func stop() { process.process.terminate() }
}
