import ConfigurationFile
import KeySetFetching
import ProxySettings
import ReverseProxy
import TransportSecurity

/// Upstreams of one kind with their TLS settings, and the state of their files before they were read.
struct SecuredUpstream: Sendable {
    let settings: TargetSecurity
    let tls: UpstreamTLS
    let stamps: [WatchedFile.Stamp?]

    var party: SecuredParty { .upstream(settings, tls) }

    init(_ settings: TargetSecurity) async throws(TLSMaterialFailure) {
        stamps = await SecuredParty.stamps(of: settings.files)
        self.settings = settings
        tls = UpstreamTLS(try await TLSMaterial.security(of: settings))
    }

    /// Every kind that a file names.
    static func all(of configuration: Configuration) async throws(TLSMaterialFailure) -> [SecuredUpstream] {
        var found: [SecuredUpstream] = []
        for settings in Set(configuration.upstreams.flatMap(\.targets).compactMap(\.security)) {
            found.append(try await SecuredUpstream(settings))
        }
        return found
    }
}
