import ConfigurationFile
import KeySetFetching
import ProxySettings
import ReverseProxy
import TransportSecurity

/// A listener or some upstreams that use TLS, with their files.
enum SecuredParty: Sendable {
    case listener(ConfiguredTermination, TLSTermination)
    case upstream(TargetSecurity, UpstreamTLS)

    /// Tells parties apart whose files are the same.
    var id: ObjectIdentifier {
        switch self {
        case .listener(_, let termination): ObjectIdentifier(termination)
        case .upstream(_, let tls): ObjectIdentifier(tls)
        }
    }

    var files: [String] {
        switch self {
        case .listener(let configured, _): configured.files
        case .upstream(let configured, _): configured.files
        }
    }

    /// The present state of its files. Taken before they are read, so that the next check notices a change in between.
    func stamps() async -> [WatchedFile.Stamp?] { await Self.stamps(of: files) }

    static func stamps(of files: [String]) async -> [WatchedFile.Stamp?] {
        var stamps: [WatchedFile.Stamp?] = []
        for path in files { stamps.append(await WatchedFile(path: path).stamp()) }
        return stamps
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
