import AccessControl
import JOSE
import NetworkNames
import ProxySettings
import RequestAuthorization
import TokenVerification
import TransportSecurity

/// One generation of the running configuration; immutable, and replaced as a whole.
///
/// A request is judged and forwarded by the generation that was running when its head was complete.
public final class ProxyConfiguration: Sendable {
    /// Counts reloads, from 1.
    public let generation: Int
    public let authorizer: RequestAuthorizer
    public let upstreams: IndexedBy<UpstreamIndex, UpstreamGroup>
    /// For every target that uses TLS.
    public let upstreamTLS: [TargetSecurity: UpstreamTLS]
    public let limits: ProxyLimits
    public let timeouts: ProxyTimeouts
    /// The peers whose forwarding fields are believed.
    public let trustedProxies: [AddressRange]
    /// What the access log redacts.
    public let redaction: LogRedaction
    /// Waits until the keys or the answer that a request needs are there, or will not come; called off the event loops.
    public let answerWait: @Sendable (AuthorizationWait) async -> AuthorizationAnswer
    /// Asks the store that counts requests for several processes, which answers soon and exactly once; nil: there is
    /// none.
    public let askSharedQuotas: AskSharedQuotas?

    public typealias AskSharedQuotas = @Sendable (QuotaWait, @escaping @Sendable (QuotaAnswer) -> Void) -> Void

    /// How long a body may be that is held until its request is judged, in bytes. Nil if no verdict needs the body.
    let judgedBody: Int?

    let deadlines: DeadlineTicks
    /// nil: a body may come as slowly as `body_idle` lets it.
    let leastBodyRate: BodyRate.Least?
    let labels: RequestLabels
    /// For what is hashed; nil only if libcrypto failed, and then it is dropped.
    let pseudonyms: Pseudonyms?

    /// The same for the life of the process, so that a reload changes no pseudonym.
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
        judgedBody: Int? = nil,
        askSharedQuotas: AskSharedQuotas? = nil,
        answerWait: @escaping @Sendable (AuthorizationWait) async -> AuthorizationAnswer,
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
        self.answerWait = answerWait
        self.askSharedQuotas = askSharedQuotas
        deadlines = DeadlineTicks(timeouts)
        leastBodyRate = BodyRate.Least(rate: limits.bodyRate, pause: timeouts.bodyIdle)
        labels = RequestLabels(authorizer)
    }

    /// Whether what the peer says about earlier hops is believed.
    func trusts(_ peer: IPAddress?) -> Bool {
        guard let peer else { return false }
        return trustedProxies.contains { $0.contains(peer) }
    }

    /// The hosts of upstreams that have to be looked up.
    var upstreamNames: Set<String> { Set(upstreams.flatMap(\.targets).filter { $0.address == nil }.map(\.host)) }

    /// Those of them to which requests go without TLS.
    var plainUpstreamNames: Set<String> {
        Set(upstreams.flatMap(\.targets).filter { $0.address == nil && $0.security == nil }.map(\.host))
    }
}

/// The names that access logs and metrics give resources, rules and issuers, worked out once.
struct RequestLabels: Sendable {
    private let resources: IndexedBy<ResourceIndex, [UInt8]>
    private let rules: IndexedBy<ResourceIndex, IndexedBy<RuleIndex, [UInt8]>>
    private let paths: IndexedBy<ResourceIndex, IndexedBy<RuleIndex, [UInt8]>>
    private let issuers: IndexedBy<IssuerIndex, [UInt8]>
    /// Of each resource: a row for requests that no rule matches, and one for each rule.
    private let rows: IndexedBy<ResourceIndex, Range<Int>>
    private let rowNames: [(resource: String, rule: String)]

    init(_ authorizer: RequestAuthorizer) {
        resources = authorizer.resources.mapped { Array($0.identifier.utf8) }
        rules = authorizer.resources.mapped { resource in resource.routes.routes.mapped { Array($0.description.utf8) } }
        paths = authorizer.resources.mapped { resource in
            resource.routes.routes.mapped { Array($0.path.description.utf8) }
        }
        issuers = authorizer.issuers.mapped { Array($0.verifier.issuer.name.utf8) }
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

    /// The row of a rule; 0 where no resource matched.
    func row(_ rule: RuleIndex?, of resource: ResourceIndex?) -> Int {
        guard let resource, let rows = rows[resource] else { return 0 }
        guard let rule, rule.rawValue < rows.count &- 1 else { return rows.lowerBound }
        return rows.lowerBound &+ 1 &+ rule.rawValue
    }

    /// The identifier of a row's resource, and its rule as the file has it; empty without one.
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

    /// The pattern of a rule's paths.
    func path(_ index: RuleIndex?, of resource: ResourceIndex?) -> [UInt8]? {
        guard let resource, let index else { return nil }
        return paths[resource]?[index]
    }

    func issuer(_ index: IssuerIndex?) -> [UInt8]? {
        index.flatMap { issuers[$0] }
    }
}
