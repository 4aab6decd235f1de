import AccessControl
import Callers
import HTTPMessages
import Quotas
import TokenVerification

/// A protected resource (RFC 9728 §1): where it is, whose tokens it accepts, what each request needs, and where
/// requests go.
public struct ProtectedResource: Sendable {
    /// The resource identifier, or the operator's name for it.
    public let identifier: String
    /// Where it is; never empty.
    public var places: [PlacePattern]
    /// Whose tokens are accepted, each with the audiences that name this resource in them.
    public var issuers: [AcceptedIssuer]
    /// Methods and paths of the rules, below the place.
    public var routes: RouteTable
    /// The policy of each rule, by its index in `routes`.
    public var policies: IndexedBy<RuleIndex, AccessPolicy>
    /// Which paths below the place go to which upstream.
    public var upstreamRoutes: RouteTable
    /// The upstream group of each route in `upstreamRoutes`.
    public var upstreams: IndexedBy<RuleIndex, UpstreamIndex>
    /// What requests count against, by the index of their rule: the resource's quotas and the rule's own, each once.
    public var quotas: IndexedBy<RuleIndex, [Quota]> = []
    /// What requests count against that fall under no rule: the resource's own.
    public var commonQuotas: [Quota] = []
    /// Whether a request that falls under no rule is refused.
    public var mode = EnforcementMode.enforce
    /// Whether a request that a rule does not permit is refused, by the rule's index; where there is none, as under no
    /// rule.
    public var ruleModes: IndexedBy<RuleIndex, EnforcementMode> = []
    /// By what requests are spread over the targets of each route in `upstreamRoutes`; nil: not by their caller.
    public var spreads: IndexedBy<RuleIndex, CallerAttribute?> = []
    /// Whether path parameters (`;`) may stand in a path; they are forwarded, and no rule is chosen by them.
    public var keepsPathParameters = false
    /// What becomes of a path with encoded slashes (`%2F`) below the place.
    public var encodedSlashes = EncodedSlashes.refuse
    /// Whether the place's path is taken off before forwarding.
    public var stripsPrefix = false
    /// Where requests have their token. Handshakes of WebSockets may have it elsewhere.
    public var tokenPlace = TokenPlace.authorization
    /// Whether the token is forwarded to the upstream, in the field that is its place. `Authorization` is, only if it
    /// is that.
    public var keepsAuthorization = false
    /// Whether the resource describes itself to clients (RFC 9728); only one whose identifier is an https URL can.
    public var publishesMetadata = true
    /// How clients may ask for the WebSocket protocol (RFC 6455). Nil if they may not: such a request is an ordinary
    /// one.
    public var webSockets: WebSocketPolicy?
    /// What pages of other origins may do; nil: what the upstream permits them.
    public var crossOrigin: CrossOriginPolicy?
    /// Whether a stream that a token permitted ends when the token expires.
    public var endsStreamsAtExpiry = true
    /// The parts of the verified identity that are forwarded to the upstream.
    public var identityFields: [IdentityField] = []
    /// Whether `Client-Cert` states the certificate that the client showed in the TLS handshake (RFC 9440), if it did.
    public var statesClientCertificate = false
    /// The longest value of that field, in bytes.
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
    /// The fields that state an identity to the upstream.
    public var identityNames: [FieldName] {
        identityFields.map(\.name) + (statesClientCertificate ? [.clientCertificate, .clientCertificateChain] : [])
    }
}

extension ProtectedResource {
    /// What its upstreams are told is taken off the path of requests at one of its places, if anything is.
    ///
    /// The file's spelling, never a client's: no path parameters, and no comma, at which readers split lists.
    func strippedPrefix(at place: PlacePattern) -> [UInt8]? {
        guard stripsPrefix, !place.path.isEmpty else { return nil }
        return Array(place.path.replacing(",", with: "%2C").utf8)
    }

    /// The mode of a rule, or of requests without one.
    public func mode(of rule: RuleIndex?) -> EnforcementMode {
        rule.flatMap { ruleModes[$0] } ?? mode
    }

    /// How many rules would refuse requests and do not, because they are only observed now.
    public func observedRuleCount(at now: NumericDate) -> Int {
        policies.indexed.count { $0.element != .public && mode(of: $0.index).isObserving(at: now) }
    }
}

extension FieldName {
    /// RFC 9440 §2.
    public static let clientCertificate = FieldName(fixed: "Client-Cert")
    public static let clientCertificateChain = FieldName(fixed: "Client-Cert-Chain")
}

extension IndexedBy<ResourceIndex, ProtectedResource> {
    /// What has to be known of each caller, each question once.
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
