import AccessControl
import ConfigurationFile
import HTTPMessages
import ProxySettings
import RequestAuthorization
import TokenVerification

/// Differences between two configurations that the comparison ignores: it judges no request by them.
///
/// They are reported so that nobody mistakes silence for equality.
public struct NotCompared {
    private let old: Configuration
    private let new: Configuration

    public init(_ old: Configuration, _ new: Configuration) {
        (self.old, self.new) = (old, new)
    }

    /// One line for each differing part, in the words of the files and without duplicates.
    public var lines: [String] {
        (whole + issuers + resources + upstreams).reduce(into: []) { lines, line in
            if !lines.contains(line) { lines.append(line) }
        }
    }

    private var whole: [String] {
        var lines: [String] = []
        func compare(_ isEqual: Bool, _ name: String) { if !isEqual { lines.append(name) } }
        compare(old.listen == new.listen, "listen: where requests come in, and over which TLS")
        compare(old.doors == new.doors, "doors: the listeners for forward auth, and who may use them")
        compare(old.admin == new.admin && old.adminClients == new.adminClients, "admin")
        compare(old.trustedProxies == new.trustedProxies, "trusted_proxies: who may state the client's address")
        compare(old.limits == new.limits, "limits, `identity` among them")
        compare(old.timeouts == new.timeouts, "timeouts")
        compare(old.denyFile == new.denyFile && old.takesDenials == new.takesDenials, "the deny list")
        compare(old.sharedState == new.sharedState, "shared_state")
        return lines
    }

    // MARK: Issuers

    private var issuers: [String] {
        new.issuers.flatMap { issuer -> [String] in
            guard let before = old.issuers.first(where: { $0.trusted.name == issuer.trusted.name }) else { return [] }
            let keyPath = "issuers.\(issuer.trusted.name)"
            var lines: [String] = []
            if before.keySets.map({ $0 }) != issuer.keySets.map({ $0 })
                || before.trusted.mergesKeySets != issuer.trusted.mergesKeySets || before.realms != issuer.realms
            {
                lines.append("\(keyPath): where its keys come from")
            }
            if before.introspection != issuer.introspection
                || before.trusted.opaqueTokens != issuer.trusted.opaqueTokens
            {
                lines.append("\(keyPath): opaque tokens, which only the issuer can judge")
            }
            return lines
        }
    }

    // MARK: Resources

    private var resources: [String] {
        new.protectedResources.flatMap { resource -> [String] in
            guard let before = old.protectedResources.first(where: { $0.identifier == resource.identifier })
            else { return [] }
            let keyPath = "resources.\(resource.identifier)"
            return Self.differences(before, resource).map { "\(keyPath): \($0)" }
        }
    }

    private static func differences(_ old: ProtectedResource, _ new: ProtectedResource) -> [String] {
        var lines: [String] = []
        func compare(_ isEqual: Bool, _ name: String) { if !isEqual { lines.append(name) } }
        compare(old.crossOrigin == new.crossOrigin, "cors, and so the answers to preflights")
        compare(
            old.commonQuotas == new.commonQuotas && quotasOfRules(old) == quotasOfRules(new),
            "quotas, and what counts against them")
        compare(old.publishesMetadata == new.publishesMetadata, "metadata")
        compare(
            old.issuers.compactMap(\.scopeTemplate) == new.issuers.compactMap(\.scopeTemplate),
            "ask_for: names of scopes in challenges and metadata")
        compare(old.webSockets == new.webSockets, "websocket")
        compare(bounds(old) == bounds(new), "limits and timeouts of the resource and its rules")
        compare(edits(old) == edits(new), "response: the headers that are set and removed")
        compare(agree(modes(old), modes(new)), "mode: until when requests are observed")
        compare(
            agree(maintenance(old), maintenance(new)), "maintenance: until when it lasts, and its `Retry-After`")
        compare(old.endsStreamsAtExpiry == new.endsStreamsAtExpiry, "at_expiry")
        compare(spreads(old) == spreads(new), "how requests are distributed over targets")
        compare(
            old.statesClientCertificate == new.statesClientCertificate,
            "forward.client_certificate: whether the client's certificate is forwarded")
        return lines
    }

    /// Quotas that rules add to those of the resource, by rule. Rules without added quotas are left out, so they make
    /// no difference.
    private static func quotasOfRules(_ resource: ProtectedResource) -> some Equatable {
        let own = resource.quotas.map { of in of.filter { quota in !resource.commonQuotas.contains(quota) } }
        return Dictionary(
            zip(resource.routes.routes, own).filter { !$1.isEmpty }, uniquingKeysWith: { first, _ in first })
    }

    private static func bounds(_ resource: ProtectedResource) -> [RoutePattern?: ForwardingBounds] {
        settings(of: resource, resource.bounds, resource.ruleBounds, besides: ForwardingBounds())
    }

    private static func edits(_ resource: ProtectedResource) -> [RoutePattern?: ResponseEdits] {
        settings(of: resource, resource.responseEdits, resource.ruleResponseEdits, besides: ResponseEdits())
    }

    private static func modes(_ resource: ProtectedResource) -> [RoutePattern?: EnforcementMode] {
        settings(of: resource, resource.mode, resource.ruleModes, besides: .enforce)
    }

    private static func maintenance(_ resource: ProtectedResource) -> [RoutePattern?: Maintenance?] {
        settings(of: resource, resource.maintenance, resource.ruleMaintenance, besides: nil)
    }

    /// Settings of the whole resource (under nil), and of each rule that has its own.
    ///
    /// - Parameter none: the setting that has no effect. It is left out, so that it makes no difference.
    private static func settings<Setting: Equatable>(
        of resource: ProtectedResource, _ whole: Setting, _ ofRules: IndexedBy<RuleIndex, Setting>,
        besides none: Setting
    ) -> [RoutePattern?: Setting] {
        let rules = zip(resource.routes.routes, ofRules).map { (RoutePattern?.some($0), $1) }
        let all: [(RoutePattern?, Setting)] = [(nil, whole)] + rules
        return Dictionary(all.filter { $0.1 != none }, uniquingKeysWith: { first, _ in first })
    }

    /// True if the settings are equal wherever both files have one. Requests show where only one of them has it.
    private static func agree<Setting: Equatable>(
        _ old: [RoutePattern?: Setting], _ new: [RoutePattern?: Setting]
    ) -> Bool {
        old.allSatisfy { pattern, setting in new[pattern].map { $0 == setting } ?? true }
    }

    private static func spreads(_ resource: ProtectedResource) -> some Equatable {
        let spread = zip(resource.upstreamRoutes.routes, resource.spreads).compactMap { route, by in
            by.map { (route, $0) }
        }
        return Dictionary(spread, uniquingKeysWith: { first, _ in first })
    }

    /// Differences in how targets that both files name are reached and chosen.
    private var upstreams: [String] {
        new.upstreams.flatMap { group -> [String] in
            let addresses = Set(group.addresses)
            guard let before = old.upstreams.first(where: { Set($0.addresses) == addresses }) else { return [] }
            let name = group.addresses.first ?? "none"
            var lines: [String] = []
            if before.fleet != group.fleet || before.weights != group.weights {
                lines.append("upstream \(name): how its targets are chosen")
            }
            if Set(before.targets.map(\.security)) != Set(group.targets.map(\.security))
                || Set(before.targets.map(\.protocols)) != Set(group.targets.map(\.protocols))
            {
                lines.append("upstream \(name): TLS and protocols towards it")
            }
            return lines
        }
    }
}
