import ArgumentParser
import ConfigurationFile

extension ConfigurationSource {
    /// Configuration of the file, and the URL at which its gateway's admin listener is reached from this machine. Does
    /// not report warnings of the file, which are for `check`.
    func adminListener() throws -> (configuration: Configuration, url: String) {
        let result = load()
        guard case .success(let configuration, _) = result else {
            result.problems.forEach(tell)
            throw ExitCode.configurationErrors
        }
        guard let admin = configuration.admin, admin.port != 0 else {
            let cause =
                configuration.admin == nil ? "there is no `admin` address" : "the system chooses the port of `admin`"
            StandardStreams.tell(.error, "\(cause), so nobody can be asked; write `admin: 127.0.0.1:9901`", of: name)
            throw ExitCode.configurationErrors
        }
        return (configuration, "http://\(admin.reachable)")
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
