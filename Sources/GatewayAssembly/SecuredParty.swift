import ConfigurationFile
import ReverseProxy

/// A listener or some upstreams that are spoken with over TLS, with the files behind them.
enum SecuredParty: Sendable {
    case listener(ConfiguredTermination, TLSTermination)
    case upstream(TargetSecurity, UpstreamTLS)

    var files: [String] {
        switch self {
        case .listener(let configured, _): configured.files
        case .upstream(let configured, _): configured.files
        }
    }

    /// Reads all files, and answers what puts them to use; nothing has changed before that is called.
    func loaded() async throws(TLSMaterialFailure) -> @Sendable () -> Void {
        switch self {
        case .listener(let configured, let termination):
            let security = try await TLSMaterial.security(of: configured)
            return { termination.replace(by: security) }
        case .upstream(let configured, let tls):
            let security = try await TLSMaterial.security(of: configured)
            return { tls.replace(by: security) }
        }
    }
}
