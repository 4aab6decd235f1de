import AccessControl
import KeySets
import NetworkNames
import ProxySettings
import RequestAuthorization
import Telemetry
import TokenIntrospection
import TokenVerification

/// Checked content of one configuration file, which `serve`, `check` and `explain` work from.
public struct Configuration: Sendable {
    /// Listeners for requests; never empty.
    public internal(set) var listen = [ConfiguredListener(address: .usual)]
    /// Forward auth listeners (doors), at which proxies ask whether their requests are permitted.
    public internal(set) var doors: [ConfiguredListener] = []
    /// All listeners except the admin listener, in the order in which sockets are handed over.
    public var listenersAndDoors: [ConfiguredListener] { listen + doors }
    /// Address of the admin listener, which serves health and metrics. Nil if there is none.
    public internal(set) var admin: ListenAddress?
    /// Networks that the admin listener answers besides loopback. Nil permits all.
    public internal(set) var adminClients: [AddressRange]?
    /// Token that a request to change something at the admin listener must carry. Nil if no changes are possible.
    public internal(set) var adminToken: [UInt8]?
    /// Number of event loops. Nil for one per core.
    public internal(set) var eventLoops: Int?
    public internal(set) var accessLog = AccessLogSettings()
    /// Size of the token cache, in bytes. 0 caches no tokens.
    public internal(set) var tokenCache = 128 * 1024 * 1024
    /// Greatest number of EC keys that have a table. 0 for none.
    public internal(set) var ecdsaTables = 16
    /// Directory that keeps the last good key sets. Nil if they are not kept.
    public internal(set) var stateDirectory: String?
    public internal(set) var trustedProxies: [AddressRange] = []
    public internal(set) var limits = ProxyLimits()
    public internal(set) var timeouts = ProxyTimeouts()
    public internal(set) var redaction = LogRedaction()
    public internal(set) var log = LogSettings()
    /// Settings of the export to OpenTelemetry. Nil if nothing is exported.
    public internal(set) var telemetry: TelemetrySettings?
    /// Server that counts quotas for several processes. Nil if each process counts for itself.
    public internal(set) var sharedState: SharedState?

    /// File that lists denied tokens. Nil if there is none.
    public internal(set) var denyFile: DenyFile?
    /// Content of the deny file when the configuration was read. Nil if there is no deny file, or after an error, which
    /// is reported.
    public internal(set) var denyReading: DenyFile.Reading?

    /// Issuers, in file order.
    public internal(set) var issuers: IndexedBy<IssuerIndex, ConfiguredIssuer> = []
    /// Resources, in file order.
    public internal(set) var resources: IndexedBy<ResourceIndex, ConfiguredResource> = []
    /// Upstreams of all resources.
    public internal(set) var upstreams: IndexedBy<UpstreamIndex, UpstreamGroup> = []
    /// Targets of the upstreams in file order, each once.
    public internal(set) var targets: [ConfiguredTarget] = []

    /// Number of places in the file of each setting that weakens a check.
    public internal(set) var weakenings: [WeakeningSetting: Int] = [:]

    /// SHA-256 of the bytes of the file, as `sha256sum` prints it. Nil only if libcrypto failed.
    public internal(set) var fileDigest: String?

    /// Digest of the whole content of the file, independent of layout and comments. Nil only if libcrypto failed.
    var digest: String?

    /// Resources in the form in which requests are judged.
    public var protectedResources: IndexedBy<ResourceIndex, ProtectedResource> { resources.mapped(\.terms) }

    /// True if both configurations have the same content, byte for byte. Cached tokens then stay valid under the other
    /// one.
    public func saysTheSame(as other: Configuration) -> Bool {
        // Cached tokens hold caller digests made with this secret, which is in a separate file.
        (digest.map { $0 == other.digest } ?? false) && sharedState?.secret == other.sharedState?.secret
    }

    /// The configuration with other terms for its resources and other rules for its issuers, as many as it has.
    public func with(
        _ terms: IndexedBy<ResourceIndex, ProtectedResource>, _ rules: IndexedBy<IssuerIndex, TrustedIssuer>
    ) -> Configuration {
        var changed = self
        for (index, terms) in terms.indexed { changed.resources.update(index) { $0.terms = terms } }
        for (index, rules) in rules.indexed { changed.issuers.update(index) { $0.trusted = rules } }
        return changed
    }

    /// True if tokens can be denied while the gateway runs: changes are permitted, and a directory keeps the denials.
    public var takesDenials: Bool { adminToken != nil && stateDirectory != nil }

    /// True if tokens are looked up in a deny list.
    public var hasDenyList: Bool { denyFile != nil || takesDenials }

    /// Issuers that entries of a deny list can name.
    public var denyIssuers: DenyIssuers { DenyIssuers(issuers.map(\.trusted)) }

    /// Names of the keys that differ but cannot change while the gateway runs. If there are any, a reload is refused.
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

/// Issuer with the sources of its keys and the introspection endpoint for its opaque tokens.
public struct ConfiguredIssuer: Sendable {
    public internal(set) var trusted: TrustedIssuer
    /// Key sets of the issuer. Empty only for an issuer with ``realms``.
    public let keySets: IndexedBy<KeySetIndex, KeySetConfiguration>
    /// Key sets of realms by a pattern of names, which are not known beforehand. Nil for other issuers.
    public let realms: RealmKeySetsConfiguration?
    /// Introspection of opaque tokens. Nil if they are refused.
    public let introspection: ConfiguredIntrospection?
    public let place: IssuerPlace

    /// The key sets, or that of an example if the issuer has realms by a pattern of names.
    var exampleKeySets: [KeySetConfiguration] {
        realms.map { [$0.keySet(of: "realm")] } ?? Array(keySets)
    }
}

/// Introspection endpoint of an issuer for opaque tokens (RFC 7662), and the client credentials used there.
public struct ConfiguredIntrospection: Sendable, Hashable {
    public let clientID: String
    /// Path of the file with the client secret. The file held at least one byte when the configuration was read.
    public let clientSecretFile: String
    public let endpoint: IntrospectionEndpoint
    /// Path of the trust anchors in PEM. Nil for those of the system.
    public internal(set) var caFile: String?
    /// True if plain http is permitted to addresses that are not loopback.
    public internal(set) var allowsPlainHTTP = false
    /// Longest time that an introspection response is cached.
    public internal(set) var cacheLimit = IntrospectionConfiguration.usualCacheLimit
}

/// Destination of the access log, and the values of tokens that it shows besides those that every line has.
public struct AccessLogSettings: Sendable, Hashable {
    public internal(set) var destination: AccessLogDestination = .stdout
    /// Chosen values, without duplicates: members of the closed list in its order, then claims.
    public internal(set) var logged: [LoggedMember] = []
}

/// Destination of the access log.
public enum AccessLogDestination: Sendable, Hashable {
    case stdout
    case file(path: String)
    case none
}
