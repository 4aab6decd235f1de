import AccessControl
import TokenVerification

/// The resource and rule of another configuration that correspond to those of this one, and whether both rules always
/// have the same verdict, whatever the token. So a request is not looked up or judged twice.
///
/// Agreement is certain. Where none is stated, verdicts may still be the same. If only one configuration keeps encoded
/// slashes, only there does a path with them reach a rule; the other rejects it before.
struct PolicyAgreement: Sendable {
    /// The other configuration's resource for all requests of a resource here, and its rule for each rule. Nil for a
    /// rule without a certain counterpart.
    private struct Twin {
        let resource: ResourceIndex
        let rules: IndexedBy<RuleIndex, Rule?>

        struct Rule {
            let index: RuleIndex
            let hasSameVerdict: Bool
        }
    }

    private let twins: IndexedBy<ResourceIndex, Twin?>

    /// Most pairs of rules that are compared, so that loading a file with very many rules does not take long.
    private static let mostPairs = 1_000_000

    /// - Parameters:
    ///   - current: the configuration whose requests are judged.
    ///   - introspectionAgrees: returns true if two issuers are asked about opaque tokens in the same way; the first is
    ///     of `current`, the second of the other configuration.
    init(
        of current: RequestAuthorizer, with other: RequestAuthorizer,
        introspectionAgrees: @escaping (IssuerIndex, IssuerIndex) -> Bool
    ) {
        let pairing = Pairing(current, other, introspectionAgrees)
        twins = current.resources.mapped { pairing.twin(of: $0) }
    }

    /// True if the verdict on a request with this route is certainly the same.
    func covers(_ route: RequestRoute) -> Bool {
        guard let twin = twins[route.resource] ?? nil, let index = route.rule, let rule = twin.rules[index] ?? nil
        else { return false }
        return rule.hasSameVerdict
    }

    /// The route of the request in the other configuration. Nil if it must be looked up.
    func twin(of route: RequestRoute) -> RequestRoute? {
        guard let twin = twins[route.resource] ?? nil else { return nil }
        let rule = route.rule.flatMap { twin.rules[$0] ?? nil }
        return RequestRoute(resource: twin.resource, segments: route.segments, rule: rule?.index)
    }

    /// The resources of two configurations, with lookup tables that are built once.
    private struct Pairing {
        let current: RequestAuthorizer
        let other: RequestAuthorizer
        let introspectionAgrees: (IssuerIndex, IssuerIndex) -> Bool
        /// Resource at each place of the other configuration.
        private let owners: [PlacePattern: ResourceIndex]
        /// Places of the other configuration that the current one does not have.
        private let newPlaces: [PlacePattern]
        private let denialsAgree: Bool

        init(
            _ current: RequestAuthorizer, _ other: RequestAuthorizer,
            _ introspectionAgrees: @escaping (IssuerIndex, IssuerIndex) -> Bool
        ) {
            (self.current, self.other, self.introspectionAgrees) = (current, other, introspectionAgrees)
            let pairs = other.resources.indexed.flatMap { index, resource in resource.places.map { ($0, index) } }
            owners = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
            let known = Set(current.resources.flatMap(\.places))
            newPlaces = pairs.map(\.0).filter { !known.contains($0) }
            denialsAgree = current.denials === other.denials
        }

        /// Finds the corresponding resource. Nil if the other configuration has not one resource at all of these
        /// places, or has a new place that may take requests away from it.
        func twin(of resource: ProtectedResource) -> Twin? {
            guard let first = resource.places.first, let index = owners[first], let twin = other.resources[index],
                resource.places.allSatisfy({ owners[$0] == index }),
                !newPlaces.contains(where: { new in resource.places.contains { $0.mayOverlap(new) } })
            else { return nil }
            return Twin(resource: index, rules: rules(of: resource, twin))
        }

        private func rules(of resource: ProtectedResource, _ twin: ProtectedResource) -> IndexedBy<
            RuleIndex, Twin.Rule?
        > {
            let known = Set(resource.routes.routes)
            let new = twin.routes.routes.filter { !known.contains($0) }
            guard new.count * resource.routes.routes.count <= mostPairs else { return [] }
            let twins = Dictionary(
                twin.routes.routes.indexed.map { ($0.element, $0.index) }, uniquingKeysWith: { first, _ in first })
            let agrees = verdictsAgree(resource, twin)
            return IndexedBy(
                resource.routes.routes.indexed.map { rule, route in
                    guard let other = twins[route], !new.contains(where: { $0.mayOverlap(route) }) else { return nil }
                    return Twin.Rule(index: other, hasSameVerdict: agrees(rule, other))
                })
        }

        /// Returns a function that tells whether a rule of a resource and its counterpart have the same verdict.
        private func verdictsAgree(_ resource: ProtectedResource, _ twin: ProtectedResource) -> (RuleIndex, RuleIndex)
            -> Bool
        {
            let readings = resource.encodedSlashes == .keep || twin.encodedSlashes == .keep
            guard asksTheSame(resource, twin), !readings || resource.isWhollySame(as: twin) else {
                return { _, _ in false }
            }
            return { rule, other in
                guard let policy = resource.policies[rule], policy == twin.policies[other],
                    resource.mode(of: rule) == twin.mode(of: other),
                    resource.maintenance(of: rule) == twin.maintenance(of: other)
                else { return false }
                return denialsAgree || policy == .public
            }
        }

        /// True if everything else that affects a verdict, besides the rules, is equal.
        private func asksTheSame(_ resource: ProtectedResource, _ twin: ProtectedResource) -> Bool {
            // Which tokens may not be passed depends on all issuers of a file.
            !resource.passesAuthorization && !twin.passesAuthorization && resource.tokenPlace == twin.tokenPlace
                && resource.otherTokenPlaces == twin.otherTokenPlaces
                && resource.webSockets == twin.webSockets
                && resource.keepsPathParameters == twin.keepsPathParameters
                && resource.encodedSlashes == twin.encodedSlashes
                && resource.crossOrigin == twin.crossOrigin && resource.identityFields == twin.identityFields
                && resource.statesClientCertificate == twin.statesClientCertificate
                && resource.longestIdentity == twin.longestIdentity
                && Set(resource.upstreamRoutes.routes) == Set(twin.upstreamRoutes.routes)
                && resource.issuers.count == twin.issuers.count
                && zip(resource.issuers, twin.issuers).allSatisfy(isSame)
        }

        private func isSame(_ accepted: AcceptedIssuer, _ other: AcceptedIssuer) -> Bool {
            guard accepted.audiences == other.audiences, let own = current.issuers[accepted.issuer],
                let theirs = self.other.issuers[other.issuer], own.verifier.issuer == theirs.verifier.issuer,
                own.stores.count == theirs.stores.count, zip(own.stores, theirs.stores).allSatisfy({ $0 === $1 }),
                own.realms === theirs.realms
            else { return false }
            return introspectionAgrees(accepted.issuer, other.issuer)
        }
    }
}

extension ProtectedResource {
    /// True if all rules, quotas and upstreams are equal. With encoded slashes, both readings of a path are judged, so
    /// every rule and upstream may affect every request.
    fileprivate func isWhollySame(as other: ProtectedResource) -> Bool {
        routes.routes == other.routes.routes && policies == other.policies && quotas == other.quotas
            && policies.indexed.allSatisfy { mode(of: $0.index) == other.mode(of: $0.index) }
            && policies.indexed.allSatisfy { maintenance(of: $0.index) == other.maintenance(of: $0.index) }
            && upstreamRoutes.routes == other.upstreamRoutes.routes
            && Set(upstreams).count == Set(other.upstreams).count
            && Set(upstreams).count <= 1
    }
}
