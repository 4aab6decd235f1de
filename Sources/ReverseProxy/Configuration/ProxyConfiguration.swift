import AccessControl
import JOSE
import NetworkNames
import ProxySettings
import RequestAuthorization
import Telemetry
import TokenVerification
import TransportSecurity

/// One generation of the running configuration. Immutable; a reload replaces it as a whole.
///
/// A request is judged and forwarded by the generation in force when its head was complete.
public final class ProxyConfiguration: Sendable {
    /// Number of the generation, counted from 1 and increased by every reload.
    public let generation: Int
    public let authorizer: RequestAuthorizer
    public let upstreams: IndexedBy<UpstreamIndex, UpstreamGroup>
    /// TLS settings by target security, for every target that uses TLS.
    public let upstreamTLS: [TargetSecurity: UpstreamTLS]
    public let limits: ProxyLimits
    public let timeouts: ProxyTimeouts
    /// Peers whose forwarding fields (such as `X-Forwarded-For`) are believed.
    public let trustedProxies: [AddressRange]
    /// Redaction of the access log.
    public let redaction: LogRedaction
    /// Waits until the keys or the introspection answer for a request arrived, or failed. Called off the event loops.
    public let answerWait: @Sendable (TokenWait) async -> TokenAnswer
    /// Asks the quota store that several processes share. It answers soon and exactly once. Nil if no store is
    /// configured.
    public let askSharedQuotas: AskSharedQuotas?

    public typealias AskSharedQuotas = @Sendable (QuotaWait, @escaping @Sendable (QuotaAnswer) -> Void) -> Void

    /// Largest body that is held until its request is judged, in bytes. Nil if no verdict needs the body.
    let judgedBody: Int?

    let deadlines: DeadlineTicks
    /// Least rate of a body. Nil if only `body_idle` limits how slow it may be.
    let leastBodyRate: BodyRate.Least?
    let labels: RequestLabels
    let callerLabels: CallerLabels
    /// Bounds that resources and rules set for their requests.
    let bounds: BoundsOfRules
    /// Hashes values that the access log shows as pseudonyms. Nil only if libcrypto failed; such values are dropped
    /// then.
    let pseudonyms: Pseudonyms?
    /// Choice of the requests whose spans are recorded. Nil without tracing.
    let tracing: TracePolicy?
    /// Share of the requests whose spans are recorded. Nil without tracing.
    let sample: TracingSettings.Share?
    /// Settings of the latest refusals and heaviest callers. Nil if none are kept.
    let history: HistorySettings?

    /// Pseudonyms with a random key of this process, kept so that a reload changes no pseudonym.
    private static let processPseudonyms = Pseudonyms()

    public init(
        generation: Int,
        authorizer: RequestAuthorizer,
        upstreams: IndexedBy<UpstreamIndex, UpstreamGroup>,
        upstreamTLS: [TargetSecurity: UpstreamTLS] = [:],
        limits: ProxyLimits = ProxyLimits(),
        timeouts: ProxyTimeouts = ProxyTimeouts(),
        trustedProxies: [AddressRange] = [],
        redaction: LogRedaction = LogRedaction(),
        tracing: TracingSettings? = nil,
        history: HistorySettings? = nil,
        judgedBody: Int? = nil,
        askSharedQuotas: AskSharedQuotas? = nil,
        answerWait: @escaping @Sendable (TokenWait) async -> TokenAnswer,
    ) {
        self.generation = generation
        self.authorizer = authorizer
        self.upstreams = upstreams
        self.upstreamTLS = upstreamTLS
        self.limits = limits
        self.timeouts = timeouts
        self.trustedProxies = trustedProxies
        self.redaction = redaction
        self.judgedBody = judgedBody
        pseudonyms = redaction.key.map { Pseudonyms(secret: $0) } ?? Self.processPseudonyms
        self.tracing = tracing.map { TracePolicy($0) }
        sample = tracing?.sample
        self.history = history
        self.answerWait = answerWait
        self.askSharedQuotas = askSharedQuotas
        deadlines = DeadlineTicks(timeouts)
        leastBodyRate = BodyRate.Least(rate: limits.bodyRate, pause: timeouts.bodyIdle)
        labels = RequestLabels(authorizer)
        callerLabels = CallerLabels(authorizer)
        bounds = BoundsOfRules(authorizer.resources)
    }

    /// True if the peer is a trusted proxy, whose forwarding fields are believed.
    func trusts(_ peer: IPAddress?) -> Bool {
        guard let peer else { return false }
        return trustedProxies.contains { $0.contains(peer) }
    }

    /// Host names of upstream targets, which have to be resolved.
    var upstreamNames: Set<String> { Set(upstreams.flatMap(\.targets).filter { $0.address == nil }.map(\.host)) }

    /// Host names of upstream targets without TLS.
    var plainUpstreamNames: Set<String> {
        Set(upstreams.flatMap(\.targets).filter { $0.address == nil && $0.security == nil }.map(\.host))
    }
}

/// Names of resources, rules and issuers in access logs and metrics, computed once for each configuration.
struct RequestLabels: Sendable {
    private let resources: IndexedBy<ResourceIndex, [UInt8]>
    private let rules: IndexedBy<ResourceIndex, IndexedBy<RuleIndex, [UInt8]>>
    private let paths: IndexedBy<ResourceIndex, IndexedBy<RuleIndex, [UInt8]>>
    private let routes: IndexedBy<ResourceIndex, IndexedBy<RuleIndex, [UInt8]>>
    private let issuers: IndexedBy<IssuerIndex, [UInt8]>
    /// Claims that may have an issuer's subject. Empty for an issuer that has it in `sub` alone.
    private let subjectClaims: IndexedBy<IssuerIndex, [[UInt8]]>
    /// Rows of each resource: one for requests that match no rule, then one for each rule.
    private let rows: IndexedBy<ResourceIndex, Range<Int>>
    private let rowNames: [(resource: String, rule: String)]

    init(_ authorizer: RequestAuthorizer) {
        resources = authorizer.resources.mapped { Array($0.identifier.utf8) }
        rules = authorizer.resources.mapped { resource in resource.routes.routes.mapped { Array($0.description.utf8) } }
        paths = authorizer.resources.mapped { resource in
            resource.routes.routes.mapped { Array($0.path.description.utf8) }
        }
        routes = authorizer.resources.mapped { resource in
            let prefixes = Set(resource.places.map(\.path.description))
            let prefix = prefixes.count == 1 ? prefixes.first ?? "" : ""
            return resource.routes.routes.mapped { Array((prefix + $0.path.description).utf8) }
        }
        issuers = authorizer.issuers.mapped { Array($0.verifier.issuer.name.utf8) }
        subjectClaims = authorizer.issuers.mapped { keys in
            let claims = keys.verifier.issuer.subject.claims
            return claims == SubjectRule().claims
                ? [] : claims.prefix(SubjectRule.mostToldClaims).map { Array($0.description.utf8) }
        }
        var names = [(resource: "", rule: "")]
        rows = authorizer.resources.mapped { resource in
            let first = names.count
            names.append((resource.identifier, ""))
            for route in resource.routes.routes { names.append((resource.identifier, route.description)) }
            return first..<names.count
        }
        rowNames = names
    }

    // MARK: Rows of counters

    var rowCount: Int { rowNames.count }

    /// Row of a rule. 0 if no resource matched.
    func row(_ rule: RuleIndex?, of resource: ResourceIndex?) -> Int {
        guard let resource, let rows = rows[resource] else { return 0 }
        guard let rule, rule.rawValue < rows.count &- 1 else { return rows.lowerBound }
        return rows.lowerBound &+ 1 &+ rule.rawValue
    }

    /// Resource identifier and rule (as written in the file) of a row. Empty if there is none.
    func names(_ rule: RuleIndex?, of resource: ResourceIndex?) -> (resource: String, rule: String) {
        names(ofRow: row(rule, of: resource))
    }

    func names(ofRow row: Int) -> (resource: String, rule: String) {
        rowNames.indices.contains(row) ? rowNames[row] : ("", "")
    }

    // MARK: Names

    func resource(_ index: ResourceIndex?) -> [UInt8]? {
        index.flatMap { resources[$0] }
    }

    func rule(_ index: RuleIndex?, of resource: ResourceIndex?) -> [UInt8]? {
        guard let resource, let index else { return nil }
        return rules[resource]?[index]
    }

    /// Path pattern of a rule. Nil if an index is nil or belongs to no rule.
    func path(_ index: RuleIndex?, of resource: ResourceIndex?) -> [UInt8]? {
        guard let resource, let index else { return nil }
        return paths[resource]?[index]
    }

    /// Path of the resource, if all its places have the same, and path pattern of the rule. Nil if an index is nil or
    /// belongs to no rule.
    func route(_ index: RuleIndex?, of resource: ResourceIndex?) -> [UInt8]? {
        guard let resource, let index else { return nil }
        return routes[resource]?[index]
    }

    /// True if the issuers have the same names at the same indices.
    func hasSameIssuers(as other: RequestLabels) -> Bool { issuers.elementsEqual(other.issuers) }

    func issuer(_ index: IssuerIndex?) -> [UInt8]? {
        index.flatMap { issuers[$0] }
    }

    /// Name of the claim with the subject. Nil if an index is nil, or if the issuer has its subjects in `sub` alone.
    func subjectClaim(_ index: Int?, of issuer: IssuerIndex?) -> [UInt8]? {
        guard let index, let claims = issuer.flatMap({ subjectClaims[$0] }), claims.indices.contains(index) else {
            return nil
        }
        return claims[index]  // in bounds: checked above
    }
}
