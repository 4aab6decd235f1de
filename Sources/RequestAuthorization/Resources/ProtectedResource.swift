import AccessControl
import Callers
import HTTPMessages
import Quotas
import TokenVerification

/// A protected resource (RFC 9728 §1): its places, its trusted issuers, the requirements of each request, and its
/// upstreams.
public struct ProtectedResource: Sendable {
    /// The resource identifier, or the operator's name for it.
    public let identifier: String
    /// Hosts and path prefixes of the resource; never empty.
    public var places: [PlacePattern]
    /// Issuers whose tokens are accepted, each with the audiences that name this resource.
    public var issuers: [AcceptedIssuer]
    /// Methods and paths of the rules, relative to the place.
    public var routes: RouteTable
    /// The policy of each rule, by its index in `routes`.
    public var policies: IndexedBy<RuleIndex, AccessPolicy>
    /// Paths below the place that have an upstream; see ``upstreams``.
    public var upstreamRoutes: RouteTable
    /// The upstream group of each route in `upstreamRoutes`.
    public var upstreams: IndexedBy<RuleIndex, UpstreamIndex>
    /// Quotas of each rule, by its index: the resource's quotas and the rule's own, each once.
    public var quotas: IndexedBy<RuleIndex, [Quota]> = []
    /// The resource's quotas, for requests that match no rule.
    public var commonQuotas: [Quota] = []
    /// Mode for requests that match no rule: refused, or only observed (forwarded anonymously and reported).
    public var mode = EnforcementMode.enforce
    /// Mode of each rule, by its index. A rule without an entry has the ``mode`` of the resource.
    public var ruleModes: IndexedBy<RuleIndex, EnforcementMode> = []
    /// Maintenance of the whole resource. Nil if there is none.
    public var maintenance: Maintenance?
    /// Maintenance of each rule, by its index, in addition to that of the resource. Nil if the rule has none.
    public var ruleMaintenance: IndexedBy<RuleIndex, Maintenance?> = []
    /// Bounds of the requests that are forwarded.
    public var bounds = ForwardingBounds()
    /// Bounds of each rule, by its index. Where a rule sets none, those of the resource apply.
    public var ruleBounds: IndexedBy<RuleIndex, ForwardingBounds> = []
    /// Response fields that are set and removed.
    public var responseEdits = ResponseEdits()
    /// Response edits of each rule, by its index, in addition to those of the resource.
    public var ruleResponseEdits: IndexedBy<RuleIndex, ResponseEdits> = []
    /// Caller attribute by which requests are spread over the targets of each route in `upstreamRoutes`. Nil if they
    /// are not spread by caller.
    public var spreads: IndexedBy<RuleIndex, CallerAttribute?> = []
    /// True if a path may contain path parameters (`;`). They are forwarded, but ignored when the rule is chosen.
    public var keepsPathParameters = false
    /// Treatment of a path with encoded slashes (`%2F`) below the place.
    public var encodedSlashes = EncodedSlashes.refuse
    /// True if the resource's path prefix (the path of its place) is stripped before forwarding.
    public var stripsPrefix = false
    /// Location of the token in requests. A WebSocket handshake may have it elsewhere.
    public var tokenPlace = TokenPlace.authorization
    /// Further locations, each of which may have the token in place of `tokenPlace`. A request with two of them is
    /// refused.
    public var otherTokenPlaces: [TokenPlace] = []
    /// True if the token is forwarded to the upstream, in the field that it came in. `Authorization` is forwarded only
    /// if it may have the token.
    public var keepsAuthorization = false
    /// True if the client's own `Authorization` is forwarded. No location of the token is then `Authorization`.
    public var passesAuthorization = false
    /// True if the resource publishes its metadata (RFC 9728); only one whose identifier is an https URL can.
    public var publishesMetadata = true
    /// Conditions for the WebSocket protocol (RFC 6455). Nil if clients may not use it: an upgrade request is then an
    /// ordinary one.
    public var webSockets: WebSocketPolicy?
    /// CORS policy. Nil if the upstream's own CORS fields decide.
    public var crossOrigin: CrossOriginPolicy?
    /// True if a stream is closed when the token that permitted it expires.
    public var endsStreamsAtExpiry = true
    /// Parts of the verified identity that are forwarded to the upstream.
    public var identityFields: [IdentityField] = []
    /// True if the certificate from the client's TLS handshake is forwarded in `Client-Cert` (RFC 9440), if there is
    /// one.
    public var statesClientCertificate = false
    /// Most bytes that a `Client-Cert` value may have.
    public var longestIdentity = IdentityField.usualLongestValue

    public init(
        identifier: String, places: [PlacePattern], issuers: [AcceptedIssuer], routes: RouteTable,
        policies: IndexedBy<RuleIndex, AccessPolicy>, upstreamRoutes: RouteTable,
        upstreams: IndexedBy<RuleIndex, UpstreamIndex>
    ) {
        self.identifier = identifier
        self.places = places
        self.issuers = issuers
        self.routes = routes
        self.policies = policies
        self.upstreamRoutes = upstreamRoutes
        self.upstreams = upstreams
    }
}

extension ProtectedResource {
    /// Fields that state an identity to the upstream.
    public var identityNames: [FieldName] {
        identityFields.map(\.name) + (statesClientCertificate ? [.clientCertificate, .clientCertificateChain] : [])
    }
}

extension ProtectedResource {
    /// Locations of the token in requests, in the file's order.
    public var tokenPlaces: [TokenPlace] { [tokenPlace] + otherTokenPlaces }
}

extension ProtectedResource {
    /// The path that is stripped from requests at this place, as `X-Forwarded-Prefix` states it. Nil if none is.
    ///
    /// The spelling is that of the configuration file, never a client's: without path parameters, and with commas
    /// escaped, because readers of the header take a comma for the end of a list element.
    func strippedPrefix(at place: PlacePattern) -> [UInt8]? {
        guard stripsPrefix, !place.path.isEmpty else { return nil }
        return Array(place.path.replacing(",", with: "%2C").utf8)
    }

    /// Mode of a rule, or of requests without one.
    public func mode(of rule: RuleIndex?) -> EnforcementMode {
        rule.flatMap { ruleModes[$0] } ?? mode
    }

    /// The rules that would refuse requests, but are only observed now, with the time at which each begins to refuse.
    public func observedRules(at now: NumericDate) -> [(rule: RuleIndex, until: NumericDate)] {
        policies.indexed.compactMap { index, policy in
            guard policy != .public, case .observe(until: let end) = mode(of: index), now < end else { return nil }
            return (index, end)
        }
    }
}

extension FieldName {
    /// `Client-Cert` (RFC 9440 §2).
    public static let clientCertificate = FieldName(fixed: "Client-Cert")
    public static let clientCertificateChain = FieldName(fixed: "Client-Cert-Chain")
}

extension IndexedBy<ResourceIndex, ProtectedResource> {
    /// Questions about each caller that the resources' quotas and upstreams need answered; each question once.
    var callerQuestions: [CallerQuestion] {
        var questions: [CallerQuestion] = []
        for resource in self {
            let asked =
                resource.quotas.flatMap { $0.flatMap(\.questions) }
                + resource.spreads.compactMap { $0.map(CallerQuestion.spread) }
            for question in asked where !questions.contains(question) { questions.append(question) }
        }
        return questions
    }
}
