import ConfigurationFile
import ProxySettings
import TransportSecurity

extension Configuration {
    /// Loads a file as the gateway does, with certificates checked by the TLS library.
    static func load(path: String, environment: [String: String]) -> LoadResult<Configuration> {
        load(path: path, environment: environment, checkIdentity: .library)
    }

    /// Loads a text as the gateway does.
    static func load(text: String, directory: String, environment: [String: String]) -> LoadResult<Configuration> {
        load(bytes: Array(text.utf8), directory: directory, environment: environment, checkIdentity: .library)
    }
}
