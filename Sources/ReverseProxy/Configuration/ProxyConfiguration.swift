import AccessControl
import NetworkNames
import ProxySettings
import RequestAuthorization
import TransportSecurity

/// One generation of the running configuration; immutable, and replaced as a whole.
///
/// A request is judged and forwarded by the generation that was running when its head was complete.
public final class ProxyConfiguration: Sendable {
    /// Counts reloads, from 1.
    public let generation: Int
    public let authorizer: RequestAuthorizer
    /// The upstream groups by `Forwarding.upstream`.
    public let upstreams: [UpstreamGroup]
    /// For every target that is spoken with over TLS.
    public let upstreamTLS: [TargetSecurity: UpstreamTLS]
    public let limits: ProxyLimits
    public let timeouts: ProxyTimeouts
    /// The peers whose forwarding fields are believed.
    public let trustedProxies: [AddressRange]
    /// Waits until what a request needs came, or it is clear that it will not; called off the event loops.
    public let answerWait: @Sendable (AuthorizationWait) async -> AuthorizationAnswer

    let deadlines: DeadlineTicks
    /// nil: a body may come as slowly as `body_idle` lets it.
    let leastBodyRate: BodyRate.Least?
    let labels: RequestLabels

    public init(
        generation: Int,
        authorizer: RequestAuthorizer,
        upstreams: [UpstreamGroup],
        upstreamTLS: [TargetSecurity: UpstreamTLS] = [:],
        limits: ProxyLimits = ProxyLimits(),
        timeouts: ProxyTimeouts = ProxyTimeouts(),
        trustedProxies: [AddressRange] = [],
        answerWait: @escaping @Sendable (AuthorizationWait) async -> AuthorizationAnswer,
    ) {
        self.generation = generation
        self.authorizer = authorizer
        self.upstreams = upstreams
        self.upstreamTLS = upstreamTLS
        self.limits = limits
        self.timeouts = timeouts
        self.trustedProxies = trustedProxies
        self.answerWait = answerWait
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

    /// The group for a permission to forward; nil only if the configuration contradicts itself.
    func upstream(_ index: Int) -> UpstreamGroup? {
        upstreams.indices.contains(index) ? upstreams[index] : nil
    }
}

/// The names that access logs and metrics give resources and rules, worked out once.
struct RequestLabels: Sendable {
    private let resources: [[UInt8]]
    private let rules: [[[UInt8]]]

    init(_ authorizer: RequestAuthorizer) {
        resources = authorizer.resources.map { Array($0.identifier.utf8) }
        rules = authorizer.resources.map { resource in resource.routes.routes.map { Array($0.description.utf8) } }
    }

    func resource(_ index: Int?) -> [UInt8]? {
        guard let index, resources.indices.contains(index) else { return nil }
        return resources[index]
    }

    func rule(_ index: Int?, of resource: Int?) -> [UInt8]? {
        guard let resource, rules.indices.contains(resource), let index, rules[resource].indices.contains(index) else { return nil }
        return rules[resource][index]
    }
}
