import ArgumentParser
import ConfigurationFile

extension ConfigurationSource {
    /// Loads the file, and returns its configuration and the URL of its admin listener for clients on this machine.
    ///
    /// Warnings of the file are not printed; `check` prints them.
    func adminListener() throws -> (configuration: Configuration, url: String) {
        let result = load()
        guard case .success(let configuration, _) = result else {
            result.problems.forEach(tell)
            throw ExitCode.configurationErrors
        }
        guard let admin = configuration.admin, admin.port != 0 else {
            let cause =
                configuration.admin == nil ? "there is no `admin` address" : "the system chooses the port of `admin`"
            StandardStreams.tell(
                .error, "\(cause), so the gateway cannot be reached; write `admin: 127.0.0.1:9901`", of: name)
            throw ExitCode.configurationErrors
        }
        return (configuration, "http://\(admin.reachable)")
    }
}

extension ListenAddress {
    /// Address for clients on this machine. If the listener binds all interfaces, it is the loopback address.
    fileprivate var reachable: String {
        switch host {
        case "0.0.0.0": "127.0.0.1:\(port)"
        case "::": "[::1]:\(port)"
        default: text
        }
    }
}
