import ConfigurationFile
import ProxySettings
import TransportSecurity

extension Configuration {
    /// As the gateway reads a file: the TLS library judges certificates.
    static func load(path: String, environment: [String: String]) -> LoadResult<Configuration> {
        load(path: path, environment: environment, checkIdentity: .library)
    }

    /// As the gateway reads a text.
    static func load(text: String, directory: String, environment: [String: String]) -> LoadResult<Configuration> {
        load(bytes: Array(text.utf8), directory: directory, environment: environment, checkIdentity: .library)
    }
}
