import AccessControl
import KeySets
import NetworkNames
import ProxySettings
import RequestAuthorization
import TokenIntrospection
import TokenVerification

/// Everything that one file says, checked: what `serve`, `check` and `explain` work from.
public struct Configuration: Sendable {
    /// Where requests come in; never empty.
    public internal(set) var listen = [ConfiguredListener(address: .usual)]
    /// Where proxies ask about their requests.
    public internal(set) var doors: [ConfiguredListener] = []
    /// Every address but the admin listener's, in the order in which sockets are handed over.
    public var listenersAndDoors: [ConfiguredListener] { listen + doors }
    /// Where health and metrics are; nil: nowhere.
    public internal(set) var admin: ListenAddress?
    /// Who is answered there besides loopback; nil: everyone who reaches it.
    public internal(set) var adminClients: [AddressRange]?
    /// What a request has to have that changes something there; nil: none can.
    public internal(set) var adminToken: [UInt8]?
    /// nil: one for each core.
    public internal(set) var eventLoops: Int?
    public internal(set) var accessLog: AccessLogDestination = .stdout
    /// Bytes for verified tokens in all; 0: none are kept.
    public internal(set) var tokenCache = 128 * 1024 * 1024
    /// Where the last good key sets are kept; nil: nowhere.
    public internal(set) var stateDirectory: String?
    public internal(set) var trustedProxies: [AddressRange] = []
    public internal(set) var limits = ProxyLimits()
    public internal(set) var timeouts = ProxyTimeouts()
    public internal(set) var redaction = LogRedaction()
    public internal(set) var log = LogSettings()
    /// What counts quotas for several processes; nil: each counts for itself.
    public internal(set) var sharedState: SharedState?

    /// Where tokens are named that are refused; nil: nowhere.
    public internal(set) var denyFile: DenyFile?
    /// What that file said when the configuration was read.
    public internal(set) var denyReading: DenyFile.Reading?

    /// In file order.
    public internal(set) var issuers: IndexedBy<IssuerIndex, ConfiguredIssuer> = []
    /// In file order.
    public internal(set) var resources: IndexedBy<ResourceIndex, ConfiguredResource> = []
    /// Of all resources.
    public internal(set) var upstreams: IndexedBy<UpstreamIndex, UpstreamGroup> = []
    /// The targets of the upstreams in file order, each once.
    public internal(set) var targets: [ConfiguredTarget] = []

    /// Of everything the file says, whatever its layout and comments; nil only if libcrypto failed.
    var digest: String?

    /// The resources as their requests are judged.
    public var protectedResources: IndexedBy<ResourceIndex, ProtectedResource> { resources.mapped(\.terms) }

    /// Whether both say the same, byte for byte, so that what is known of tokens under one holds under the other.
    public func saysTheSame(as other: Configuration) -> Bool {
        // Known tokens hold what stands for their callers under the secret, which is in a file of its own.
        (digest.map { $0 == other.digest } ?? false) && sharedState?.secret == other.sharedState?.secret
    }

    /// Whether denials can be added while the gateway runs: somebody is permitted to, and there is a place to keep
    /// them.
    public var takesDenials: Bool { adminToken != nil && stateDirectory != nil }

    /// Whether tokens are looked up in a deny list.
    public var hasDenyList: Bool { denyFile != nil || takesDenials }

    /// The issuers that entries of a deny list can name.
    public var denyIssuers: DenyIssuers { DenyIssuers(issuers.map(\.trusted)) }

    /// The keys that differ and cannot change while the gateway runs; with any, a reload is refused.
    public func restartOnlyChanges(from old: Configuration) -> [String] {
        var keys: [String] = []
        if listen != old.listen { keys.append("listen") }
        if doors != old.doors { keys.append("doors") }
        if admin != old.admin || adminClients != old.adminClients { keys.append("admin") }
        if eventLoops != old.eventLoops { keys.append("event_loops") }
        if stateDirectory != old.stateDirectory { keys.append("state_directory") }
        return keys
    }
}

/// An issuer, where its keys come from, and who is asked about tokens that keys say nothing of.
public struct ConfiguredIssuer: Sendable {
    public let trusted: TrustedIssuer
    /// Never empty.
    public let keySets: IndexedBy<KeySetIndex, KeySetConfiguration>
    /// How opaque tokens are judged; nil: they are refused.
    public let introspection: ConfiguredIntrospection?
    public let place: IssuerPlace
}

/// Where an issuer answers for its opaque tokens (RFC 7662), and as whom it is asked.
public struct ConfiguredIntrospection: Sendable, Hashable {
    public let clientID: String
    /// The path of the file with the client's secret; at least one byte was there when the configuration was read.
    public let clientSecretFile: String
    public let endpoint: IntrospectionEndpoint
    /// Trust anchors in PEM in place of the system's; nil: the system's.
    public internal(set) var caFile: String?
    /// Permits plain http to addresses that are not loopback.
    public internal(set) var allowsPlainHTTP = false
    /// The longest time that an answer is used again.
    public internal(set) var cacheLimit = IntrospectionConfiguration.usualCacheLimit
}

/// Where the access log goes.
public enum AccessLogDestination: Sendable, Hashable {
    case stdout
    case file(path: String)
    case none
}
