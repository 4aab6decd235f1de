import ConfigurationFile
import DevelopmentIssuer
import Files
import FoundationEssentials
import GatewayAssembly
import Logs
import ProxySettings
import TransportSecurity

/// A gateway that runs in this process.
struct StartedGateway: Sendable {
    /// Listening address, with the bound port.
    let address: String
    /// Base URL of the gateway for clients on this machine.
    let url: String
    private let running: RunningGateway

    fileprivate init(_ running: RunningGateway) {
        self.running = running
        // The demo's file names one address, so there is exactly one.
        address = running.addresses.joined(separator: " ")
        url = ServerAddress(address)?.url ?? "http://" + address
    }

    func drain() async {
        await running.drain()
    }
}

/// Operational log of the gateway for the person at the terminal. It has only warnings and errors.
private var operationalLog: OperationalLog {
    OperationalLog(
        LogSettings(format: .text, level: .warning), now: { .seconds(Date().timeIntervalSince1970) },
        write: { line in try? OpenFile.standardError.write(line) })
}

/// Loads a configuration as `bearward serve` would load a file, and starts the gateway.
func startGateway(yaml: String) async throws(CommandFailure) -> StartedGateway {
    let configuration: Configuration
    let result = Configuration.load(
        bytes: Array(yaml.utf8), directory: FileManager.default.currentDirectoryPath, environment: [:],
        checkIdentity: .library)
    switch result {
    case .success(let loaded, _): configuration = loaded
    case .failure(let problems):
        throw .configurationRefused(problems.map { problem in problem.rendered(file: "demo.yaml") })
    }
    do throws(StartFailure) {
        return StartedGateway(try await RunningGateway.start(configuration, logger: operationalLog.logger))
    } catch {
        throw .gatewayNotStarted("\(error)", option: "--listen")
    }
}
