import AccessControl
import TokenVerification
import TypedIndices

/// Of which rules of one configuration another has the same verdict on every request, whatever its token: there is nothing to judge twice.
///
/// What it says is certain. A rule that it does not name may be the same all the same.
struct PolicyAgreement: Sendable {
    /// Of each resource whether each of its rules is the same; empty: none is.
    private let rules: IndexedBy<ResourceIndex, IndexedBy<RuleIndex, Bool>>

    /// More pairs are not compared: reading a file must not take long because both have very many rules.
    private static let mostPairs = 1_000_000

    /// - Parameters:
    ///   - current: whose requests are judged.
    ///   - introspectionAgrees: whether two issuers, the one of `current` and the other's, are asked about opaque tokens in the same way.
    init(
        of current: RequestAuthorizer, with other: RequestAuthorizer,
        introspectionAgrees: @escaping (IssuerIndex, IssuerIndex) -> Bool
    ) {
        // The path's one form depends on all resources.
        guard current.encodedSlashes == other.encodedSlashes else {
            rules = current.resources.mapped { _ in [] }
            return
        }
        let pairing = Pairing(current, other, introspectionAgrees)
        rules = IndexedBy(current.resources.map { pairing.agreement(of: $0) })
    }

    /// Whether the verdict on a request that falls under a rule is the same.
    func covers(_ resource: ResourceIndex, _ rule: RuleIndex) -> Bool {
        rules[resource]?[rule] ?? false
    }

    /// The resources of two configurations, with what is worked out once.
    private struct Pairing {
        let current: RequestAuthorizer
        let other: RequestAuthorizer
        let introspectionAgrees: (IssuerIndex, IssuerIndex) -> Bool
        /// The resource at each place of the other.
        private let owners: [PlacePattern: ProtectedResource]
        /// Its places that are not those of the current one.
        private let newPlaces: [PlacePattern]
        private let denialsAgree: Bool

        init(
            _ current: RequestAuthorizer, _ other: RequestAuthorizer,
            _ introspectionAgrees: @escaping (IssuerIndex, IssuerIndex) -> Bool
        ) {
            (self.current, self.other, self.introspectionAgrees) = (current, other, introspectionAgrees)
            let pairs = other.resources.flatMap { resource in resource.places.map { ($0, resource) } }
            owners = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
            let known = Set(current.resources.flatMap(\.places))
            newPlaces = pairs.map(\.0).filter { !known.contains($0) }
            denialsAgree = current.denials === other.denials
        }

        /// nil: the other has not the same resource at all of its places.
        private func twin(of resource: ProtectedResource) -> ProtectedResource? {
            guard let first = resource.places.first, let twin = owners[first] else { return nil }
            let isWhole = resource.places.allSatisfy { owners[$0]?.identifier == twin.identifier }
            // A place that only the other has may take requests away.
            guard isWhole, !newPlaces.contains(where: { new in resource.places.contains { $0.mayOverlap(new) } }) else {
                return nil
            }
            return twin
        }

        func agreement(of resource: ProtectedResource) -> IndexedBy<RuleIndex, Bool> {
            guard let twin = twin(of: resource), asksTheSame(resource, twin) else { return [] }
            let readings = resource.keepsEncodedSlashes || twin.keepsEncodedSlashes
            if readings { return resource.isWhollySame(as: twin) ? resource.policies.mapped { _ in true } : [] }
            let known = Set(resource.routes.routes)
            let new = twin.routes.routes.filter { !known.contains($0) }
            guard new.count * resource.routes.routes.count <= mostPairs else { return [] }
            let twins = Dictionary(
                twin.routes.routes.indexed.map { ($0.element, $0.index) }, uniquingKeysWith: { first, _ in first })
            return IndexedBy(
                resource.routes.routes.indexed.map { rule, route in
                    guard let other = twins[route], let policy = resource.policies[rule],
                        policy == twin.policies[other], resource.mode(of: rule) == twin.mode(of: other)
                    else { return false }
                    guard denialsAgree || policy == .public else { return false }
                    return !new.contains { $0.mayOverlap(route) }
                })
        }

        /// Whether all that bears on a verdict besides its rules is the same.
        private func asksTheSame(_ resource: ProtectedResource, _ twin: ProtectedResource) -> Bool {
            resource.tokenPlace == twin.tokenPlace && resource.keepsPathParameters == twin.keepsPathParameters
                && resource.keepsEncodedSlashes == twin.keepsEncodedSlashes
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
            && upstreamRoutes.routes == other.upstreamRoutes.routes && Set(upstreams).count == Set(other.upstreams).count
            && Set(upstreams).count <= 1
    }
}
