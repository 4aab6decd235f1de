import AccessControl
import AssumedTokens
import ConfigurationFile
import HTTPMessages
import RequestAuthorization
import TokenVerification

/// One of the two configurations: the places of its requests, and its verdicts.
struct PolicySide {
    /// Time at which tokens are judged: 2026-01-01T00:00:00Z. Times in a file count from then, so that the outcome is
    /// always the same.
    static let time = NumericDate(seconds: 1_767_225_600)

    let configuration: Configuration
    let issuers: IndexedBy<IssuerIndex, TrustedIssuer>
    private let authorizer: AssumedAuthorizer
    private let table: PlaceTable
    /// Resource and pattern of each place in the table.
    private let places: [(resource: ResourceIndex, pattern: PlacePattern)]

    init(_ configuration: Configuration) throws(PlaceConflict) {
        self.configuration = configuration
        issuers = configuration.issuers.mapped(\.trusted)
        authorizer = try AssumedAuthorizer(resources: configuration.protectedResources, issuers: issuers)
        places = configuration.resources.indexed.flatMap { index, resource in
            resource.terms.places.map { (index, $0) }
        }
        table = try PlaceTable(places.map(\.pattern))
    }

    /// Each place with its resource.
    var resourcesByPlace: [(place: PlacePattern, resource: ProtectedResource)] {
        places.compactMap { place in configuration.resources[place.resource].map { (place.pattern, $0.terms) } }
    }

    /// Resource and path of a request, by the tables that requests are judged by.
    func location(host: String, port: Int?, _ path: RequestPath) -> RequestPlace? {
        let match = table.match(host: Array(host.utf8).span, port: port, path: path)
        guard let match, places.indices.contains(match.placeIndex.rawValue) else { return nil }
        let resource = places[match.placeIndex.rawValue].resource
        return (configuration.resources[resource]?.terms).map { terms in
            RequestPlace(
                place: match.placeIndex, resource: resource, terms: terms, segments: match.segments,
                upstream: terms.upstreamRoutes.match(path: path, below: match.segments)?.ruleIndex)
        }
    }

    /// Judges a request.
    func verdict(on witness: Witness, at now: NumericDate) -> JudgedRequest {
        let request = ExplainedRequest(method: witness.method, url: witness.url, fields: witness.fields)
        do throws(RequestHeadRejection) {
            let head = try authorizer.head(of: request, HeadLimits())
            var request = AuthorizationRequest(head: head)
            // A resource without an upstream is judged too, as a proxy would ask about it.
            request.isAtDoor = true
            return JudgedRequest(authorizer.judge(&request, signedBy: .named, at: now), request, configuration)
        } catch {
            return JudgedRequest(fault: error.fault)
        }
    }
}

/// Resource of a request in one configuration, whatever the verdict is.
struct RequestPlace {
    let place: PlaceIndex
    let resource: ResourceIndex
    let terms: ProtectedResource
    /// Number of segments of its path that belong to the place.
    let segments: Int
    /// The route to its upstream.
    let upstream: RuleIndex?

    /// Whether what a rule refuses is forwarded as nobody's; without a rule the resource says so. A public rule refuses
    /// nothing.
    func isObserved(_ rule: RuleInPlace?) -> Bool {
        rule?.policy != .public && terms.mode(of: rule?.rule).isObserving(at: PolicySide.time)
    }

    /// The rule for a method. Nil if there is none.
    func rule(for method: String, _ path: RequestPath) -> RuleInPlace? {
        guard let match = terms.routes.match(method: Array(method.utf8).span, path: path, below: segments),
            let policy = terms.policies[match.ruleIndex]
        else { return nil }
        var parameters: [String: String] = [:]
        for name in policy.pathParameters {
            guard let value = terms.routes.value(of: name, in: match, path: path) else { continue }
            parameters[name] = String(decoding: value, as: UTF8.self)
        }
        let positions = policy.pathParameters.compactMap { name in
            terms.routes.routes[match.ruleIndex]?.path.position(ofParameter: name).map {
                match.segmentIndex(ofPosition: $0)
            }
        }
        return RuleInPlace(rule: match.ruleIndex, policy: policy, parameters: parameters, positions: positions)
    }
}

/// The rule of a request.
struct RuleInPlace {
    let rule: RuleIndex
    let policy: AccessPolicy
    /// Values that the rule's policy takes from the path, by name.
    let parameters: [String: String]
    /// The segments of the path where that stands.
    let positions: [Int]
}
