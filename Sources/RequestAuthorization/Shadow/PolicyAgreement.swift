import AccessControl
import TokenVerification

/// Which resource and rule of another configuration are for the requests of those of this one, and whether the rules
/// have the same verdict on every one of them, whatever the token: there is nothing to find twice, or nothing to judge
/// twice.
///
/// What it says is certain. What it says nothing of may be the same all the same. Where only one configuration keeps
/// encoded slashes, a path with some has a route under a resource that keeps them, and the other refuses it before it
/// looks at a route.
struct PolicyAgreement: Sendable {
    /// The other's resource for all requests of one, and its rules for the requests of each rule, where that is
    /// certain.
    private struct Twin {
        let resource: ResourceIndex
        let rules: IndexedBy<RuleIndex, Rule?>

        struct Rule {
            let index: RuleIndex
            let hasSameVerdict: Bool
        }
    }

    private let twins: IndexedBy<ResourceIndex, Twin?>

    /// More pairs are not compared: reading a file must not take long because both have very many rules.
    private static let mostPairs = 1_000_000

    /// - Parameters:
    ///   - current: whose requests are judged.
    ///   - introspectionAgrees: whether two issuers, the one of `current` and the other's, are asked about opaque
    ///     tokens in the same way.
    init(
        of current: RequestAuthorizer, with other: RequestAuthorizer,
        introspectionAgrees: @escaping (IssuerIndex, IssuerIndex) -> Bool
    ) {
        let pairing = Pairing(current, other, introspectionAgrees)
        twins = current.resources.mapped { pairing.twin(of: $0) }
    }

    /// Whether the verdict on a request there is the same.
    func covers(_ route: RequestRoute) -> Bool {
        guard let twin = twins[route.resource] ?? nil, let index = route.rule, let rule = twin.rules[index] ?? nil
        else { return false }
        return rule.hasSameVerdict
    }

    /// Where a request there belongs in the other configuration; nil: that is to be found.
    func twin(of route: RequestRoute) -> RequestRoute? {
        guard let twin = twins[route.resource] ?? nil else { return nil }
        let rule = route.rule.flatMap { twin.rules[$0] ?? nil }
        return RequestRoute(resource: twin.resource, segments: route.segments, rule: rule?.index)
    }

    /// The resources of two configurations, with what is worked out once.
    private struct Pairing {
        let current: RequestAuthorizer
        let other: RequestAuthorizer
        let introspectionAgrees: (IssuerIndex, IssuerIndex) -> Bool
        /// The resource at each place of the other.
        private let owners: [PlacePattern: ResourceIndex]
        /// Its places that are not those of the current one.
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

        /// nil: the other has not the same resource at all of its places, or a place of its own that may take requests
        /// away from it.
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

        /// Whether a rule of a resource and its twin have the same verdict.
        private func verdictsAgree(_ resource: ProtectedResource, _ twin: ProtectedResource) -> (RuleIndex, RuleIndex)
            -> Bool
        {
            let readings = resource.encodedSlashes == .keep || twin.encodedSlashes == .keep
            guard asksTheSame(resource, twin), !readings || resource.isWhollySame(as: twin) else {
                return { _, _ in false }
            }
            return { rule, other in
                guard let policy = resource.policies[rule], policy == twin.policies[other],
                    resource.mode(of: rule) == twin.mode(of: other)
                else { return false }
                return denialsAgree || policy == .public
            }
        }

        /// Whether all that bears on a verdict besides its rules is the same.
        private func asksTheSame(_ resource: ProtectedResource, _ twin: ProtectedResource) -> Bool {
            resource.tokenPlace == twin.tokenPlace && resource.webSockets == twin.webSockets
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
                own.stores.count == theirs.stores.count, zip(own.stores, theirs.stores).allSatisfy({ $0 === $1 })
            else { return false }
            return introspectionAgrees(accepted.issuer, other.issuer)
        }
    }
}

extension ProtectedResource {
    /// Where both readings of a path are judged, every rule and upstream bears on every request.
    fileprivate func isWhollySame(as other: ProtectedResource) -> Bool {
        routes.routes == other.routes.routes && policies == other.policies && quotas == other.quotas
            && policies.indexed.allSatisfy { mode(of: $0.index) == other.mode(of: $0.index) }
            && upstreamRoutes.routes == other.upstreamRoutes.routes
            && Set(upstreams).count == Set(other.upstreams).count
            && Set(upstreams).count <= 1
    }
}
