import AccessControl
import AssumedTokens
import ConfigurationFile
import HTTPMessages
import RequestAuthorization
import TokenVerification

/// Side of a comparison: one of the two configurations. It finds the resource of a request and judges the request.
struct PolicySide {
    /// Time at which tokens are judged: 2026-01-01T00:00:00Z. Times in a file (`until`) are compared with it too, so
    /// the outcome is always the same.
    static let time = NumericDate(seconds: 1_767_225_600)

    let configuration: Configuration
    let issuers: IndexedBy<IssuerIndex, TrustedIssuer>
    private let authorizer: AssumedAuthorizer
    private let table: PlaceTable
    /// Resource and pattern of each place, in the order of the table.
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

    /// All places (host and path) with their resource.
    var resourcesByPlace: [(place: PlacePattern, resource: ProtectedResource)] {
        places.compactMap { place in configuration.resources[place.resource].map { (place.pattern, $0.terms) } }
    }

    /// Finds the resource of a request with the tables that also route traffic. Nil if it matches no resource.
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

    /// Judges a request with the code that also judges traffic.
    func verdict(on witness: Witness, at now: NumericDate) -> JudgedRequest {
        let request = ExplainedRequest(method: witness.method, url: witness.url, fields: witness.fields)
        do throws(RequestHeadRejection) {
            let head = try authorizer.head(of: request, HeadLimits())
            var request = AuthorizationRequest(head: head)
            // As if asked through forward auth (a door), so that resources without an upstream are judged too.
            request.isAtDoor = true
            return JudgedRequest(authorizer.judge(&request, signedBy: .named, at: now), request, configuration)
        } catch {
            return JudgedRequest(fault: error.fault)
        }
    }
}

/// Resource that a request matches in one configuration, regardless of the verdict.
struct RequestPlace {
    let place: PlaceIndex
    let resource: ResourceIndex
    let terms: ProtectedResource
    /// Number of path segments that belong to the resource's place; rules match the remaining ones.
    let segments: Int
    /// Index of the route to its upstream. Nil if no route matches.
    let upstream: RuleIndex?

    /// Whether requests that the rule refuses are forwarded anonymously (mode `observe`). Without a rule, the
    /// resource's mode decides. False for a public rule, which refuses nothing.
    func isObserved(_ rule: RuleInPlace?) -> Bool {
        rule?.policy != .public && terms.mode(of: rule?.rule).isObserving(at: PolicySide.time)
    }

    /// Whether all requests of the rule are refused for maintenance. Without a rule, the resource's maintenance
    /// decides.
    func isInMaintenance(_ rule: RuleInPlace?) -> Bool {
        terms.maintenance(of: rule?.rule, at: PolicySide.time) != nil
    }

    /// Finds the rule for a method and path. Nil if none matches.
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

/// The rule that a request matches.
struct RuleInPlace {
    let rule: RuleIndex
    let policy: AccessPolicy
    /// Path parameters that the rule's policy reads: their values by name.
    let parameters: [String: String]
    /// Indices of the path segments that contain these values.
    let positions: [Int]
}
