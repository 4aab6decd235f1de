import ConfigurationFile
import KeySetFetching
import ProxySettings
import ReverseProxy
import TransportSecurity

/// A listener, or the upstreams with the same TLS settings, with the files that secure it.
enum SecuredParty: Sendable {
    case listener(ConfiguredTermination, TLSTermination)
    case upstream(TargetSecurity, UpstreamTLS)

    /// Identity of the party, which differs even if the files are the same.
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

    /// Reads all files. Nothing changes until the result is put in use.
    func loaded() async throws(TLSMaterialFailure) -> LoadedParty {
        let stamps = await LoadedParty.stamps(of: files)
        switch self {
        case .listener(let configured, let termination):
            let security = try await TLSMaterial.security(of: configured)
            return LoadedParty(party: self, stamps: stamps) { termination.replace(by: security) }
        case .upstream(let configured, let tls):
            let security = try await TLSMaterial.security(of: configured)
            return LoadedParty(party: self, stamps: stamps) { tls.replace(by: security) }
        }
    }
}

/// A listener or upstreams with the content of their files.
struct LoadedParty: Sendable {
    let party: SecuredParty
    /// State of the files before they were read, so that the next check notices a change in between.
    let stamps: [WatchedFile.Stamp?]
    /// Puts the content in use.
    let put: @Sendable () -> Void

    static func stamps(of files: [String]) async -> [WatchedFile.Stamp?] {
        var stamps: [WatchedFile.Stamp?] = []
        for path in files { stamps.append(await WatchedFile(path: path).stamp()) }
        return stamps
    }

    /// Reads the files of upstreams with these settings, and puts the content in use at once.
    static func upstream(_ settings: TargetSecurity) async throws(TLSMaterialFailure) -> LoadedParty {
        let stamps = await stamps(of: settings.files)
        let tls = UpstreamTLS(try await TLSMaterial.security(of: settings))
        return LoadedParty(party: .upstream(settings, tls), stamps: stamps, put: {})
    }
}
