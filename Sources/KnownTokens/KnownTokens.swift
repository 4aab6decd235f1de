import AccessControl
import Callers
import JOSE
import KeySets
import TokenVerification

/// An issuer whose tokens can be known: its rules, and its keys as they are now.
public struct KnownIssuer: Sendable {
    public let rules: TrustedIssuer
    /// One for each of its key sets, in their order.
    public let stores: IndexedBy<KeySetIndex, KeySetStore>

    public init(rules: TrustedIssuer, stores: IndexedBy<KeySetIndex, KeySetStore>) {
        self.rules = rules
        self.stores = stores
    }
}

/// Judges requests by tokens that were verified before, without verifying them again.
///
/// A record says that exactly this token was signed by a key of its issuer, and what it says. Time, audience and policy
/// are asked on every request; the key must still be there, and its set not too old. The verdict is the verifier's and
/// the policy's own; where more is to be told of a refusal than a record has, the claims are read again; the signature,
/// and what its key may vouch for, are not judged again.
public final class KnownTokens: Sendable {
    private let cache: VerifiedTokenCache
    private let digestKey: TokenDigestKey
    private let layout: TokenRecordLayout
    private let issuers: IndexedBy<IssuerIndex, Issuer>
    private let denials: DenyList?

    /// The checks of an issuer's records: that its key sets still vouch for them, and its rules about time.
    private final class Issuer: Sendable {
        let stores: IndexedBy<KeySetIndex, KeySetStore>
        let times: TimeRules
        /// What tokens may be refused for with a hint that depends on their claims.
        let explained: Set<TokenRejection>
        /// Whether a stronger authentication is asked for in one way, whatever the client understands.
        let hasStandardChallenge: Bool

        init(_ known: KnownIssuer) {
            let issuer = known.rules
            stores = known.stores
            times = issuer.times
            explained = Set(issuer.hints.filter { $0.condition != nil }.map(\.rejection))
            hasStandardChallenge = issuer.stepUp == .standard
        }
    }

    /// - Parameters:
    ///   - cache: for this configuration alone: a record means nothing under another.
    ///   - digestKey: under which tokens are looked up.
    ///   - callers: what is kept of each caller.
    ///   - denials: asked about each token; nil: there is no such list.
    public init(
        cache: VerifiedTokenCache, digestKey: TokenDigestKey, resources: IndexedBy<ResourceIndex, KnownResource>,
        issuers: IndexedBy<IssuerIndex, KnownIssuer>, callers: CallerQuestions = .none, denials: DenyList? = nil
    ) {
        self.cache = cache
        self.digestKey = digestKey
        self.denials = denials
        layout = TokenRecordLayout(
            resources, issuers: issuers.mapped(\.rules), callers: callers, denyDigests: denials?.digests)
        self.issuers = issuers.mapped(Issuer.init)
    }

    /// What stands for a token here; nil if the library failed.
    public func digest(of token: Span<UInt8>) -> TokenDigest? { digestKey.digest(of: token) }

    /// Forgets every token and gives the memory back.
    public func removeAll() { cache.removeAll() }

    /// What the cache knows about a request's token.
    public enum Judgement: Sendable {
        /// Nothing, or nothing that is still valid.
        case unknown
        /// The request is permitted; the identity lines for the resource have this index in the record; nil: it sends
        /// none.
        case permitted(IssuerIndex, identityPlace: Int?)
        /// The token would be refused for this, and nothing more is to be told of it.
        case refused(IssuerIndex, Refusal)
        /// It was signed by a key of this issuer that still stands, and its claims have to be read for the verdict.
        case proved(IssuerIndex)
    }

    /// What a known token is refused for.
    public enum Refusal: Sendable, Hashable {
        /// By its times.
        case token(TokenRejection)
        /// By the deny list.
        case denied
        /// With the index of the requirement that is not met, as `Decision` says it.
        case policy(Denial, missed: Int?)
    }

    /// The verdict on a request by what is known of its token; `record` then holds that.
    ///
    /// - Parameters:
    ///   - match: the rule of the resource that the request fell under.
    ///   - path: the request's.
    public func judge(
        _ digest: TokenDigest, for resource: ResourceIndex, _ match: RouteMatch, path: borrowing RequestPath,
        at now: NumericDate,
        into record: inout TokenRecordBytes
    ) -> Judgement {
        guard cache.lookup(digest, at: now, into: &record), let record = TokenRecord(record.bytes),
            let issuer = issuers[record.issuer], let resource = layout.resources[resource],
            let policy = resource.policies[match.ruleIndex]
        else { return .unknown }
        guard let store = issuer.stores[record.keySet], store.vouches(for: record.keyEpoch, at: now) else {
            return .unknown
        }
        // For another resource, or from an issuer that this one does not trust, whose rules do not count here.
        guard record.has(resource.opening) else { return .proved(record.issuer) }
        if let rejection = rejection(by: record, issuer.times, at: now) {
            guard !issuer.explained.contains(rejection) else { return .proved(record.issuer) }
            return .refused(record.issuer, .token(rejection))
        }
        if let denials, record.attribute(denyingBy: denials, at: now) != nil { return .refused(record.issuer, .denied) }
        let request = Request(resource: resource, match: match, now: now)
        guard case .denied(let denial, let missed) = decide(policy, record, request, path, issuer.times) else {
            return .permitted(record.issuer, identityPlace: resource.identityPlace)
        }
        // The challenge may depend on what the token says.
        guard denial != .authenticationTooWeak || issuer.hasStandardChallenge else { return .proved(record.issuer) }
        return .refused(record.issuer, .policy(denial, missed: missed))
    }

    /// What of a request decides besides its token, and its path.
    private struct Request {
        let resource: TokenRecordLayout.Resource
        let match: RouteMatch
        let now: NumericDate
    }

    /// Keeps what a verified token says, if the key that signed it still stands.
    public func keep(
        _ token: VerifiedToken, _ digest: TokenDigest, issuer: IssuerIndex, keySet: KeySetIndex, keyEpoch: UInt64,
        at now: NumericDate
    ) {
        guard let expiration = token.expiration,
            let record = layout.record(of: token, issuer: issuer, keySet: keySet, keyEpoch: keyEpoch)
        else { return }
        cache.insert(
            digest, record: record.span,
            until: Leeway(token.verifier.issuer.leeway).end(of: expiration) + Self.afterlife, at: now)
    }

    /// How long a token is kept beyond its expiry: clients keep sending it until they notice, and refusing it then
    /// needs no signature.
    private static let afterlife = Duration.seconds(300)

    // MARK: Time

    /// What the token is refused for by now, as `TokenVerifier` judges its times; what does not depend on now was
    /// judged when it was kept.
    private func rejection(by record: TokenRecord, _ times: TimeRules, at now: NumericDate) -> TokenRejection? {
        if let rejection = times.rejection(ofExpiration: record.expiration, at: now) { return rejection }
        guard times.leeway.hasCome(record.notBefore, at: now) else { return .notYetValid }
        if record.flags.contains(.lifetimeCountsFromNow),
            let rejection = times.rejection(ofLifetimeFrom: nil, until: record.expiration, at: now)
        {
            return rejection
        }
        return times.rejection(ofAuthentication: record.authenticationTime, at: now)
    }

    // MARK: Policy

    /// As `AccessPolicy.decide`.
    private func decide(
        _ policy: RecordPolicy, _ record: TokenRecord, _ request: borrowing Request, _ path: borrowing RequestPath,
        _ times: TimeRules
    ) -> Decision {
        let needsOrganization = record.flags.contains(.isOnlyForOrganizationRules) && !policy.asksForOrganization
        if needsOrganization, !policy.mentionsOrganization { return .denied(.organizationMismatch, missed: nil) }
        for step in record.hasAll(policy.needed) ? policy.openSteps : policy.steps {
            guard isMet(step, record, request, path, times) else {
                return .denied(denial(of: step, record, request, path, times), missed: step.index)
            }
        }
        if needsOrganization, !namesOrganization(policy.steps, record, request, path, times) {
            return .denied(.organizationMismatch, missed: nil)
        }
        return .granted
    }

    private func isMet(
        _ step: RecordPolicy.Step, _ record: TokenRecord, _ request: borrowing Request, _ path: borrowing RequestPath,
        _ times: TimeRules
    ) -> Bool {
        switch step.form {
        case .all(let atoms): record.hasAll(atoms)
        case .any(let atoms): record.hasAny(atoms)
        case .organization(let parameter): isFor(parameter, record, request, path)
        case .maxAge(let limit): times.leeway.isAuthenticated(record.authenticationTime, within: limit, at: request.now)
        case .alternatives(let alternatives): hasMet(alternatives, record, request, path, times)
        }
    }

    private func hasMet(
        _ alternatives: [[RecordPolicy.Step]], _ record: TokenRecord, _ request: borrowing Request,
        _ path: borrowing RequestPath,
        _ times: TimeRules
    ) -> Bool {
        for steps in alternatives where areMet(steps, record, request, path, times) { return true }
        return false
    }

    private func areMet(
        _ steps: [RecordPolicy.Step], _ record: TokenRecord, _ request: borrowing Request,
        _ path: borrowing RequestPath, _ times: TimeRules
    ) -> Bool {
        for step in steps where !isMet(step, record, request, path, times) { return false }
        return true
    }

    /// As `Requirement.denial(in:)`.
    private func denial(
        of step: RecordPolicy.Step, _ record: TokenRecord, _ request: borrowing Request, _ path: borrowing RequestPath,
        _ times: TimeRules
    ) -> Denial {
        guard case .alternatives(let alternatives) = step.form, let first = alternatives.first else {
            return step.denial
        }
        for step in first where !isMet(step, record, request, path, times) {
            return denial(of: step, record, request, path, times)
        }
        return step.denial
    }

    /// As `Requirement.namesOrganization(in:)`.
    private func namesOrganization(
        _ steps: [RecordPolicy.Step], _ record: TokenRecord, _ request: borrowing Request,
        _ path: borrowing RequestPath, _ times: TimeRules
    ) -> Bool {
        for step in steps {
            guard case .alternatives(let alternatives) = step.form else {
                if step.denial == .organizationMismatch, isMet(step, record, request, path, times) { return true }
                continue
            }
            for steps in alternatives where areMet(steps, record, request, path, times) {
                if namesOrganization(steps, record, request, path, times) { return true }
            }
        }
        return false
    }

    private func isFor(
        _ parameter: String, _ record: TokenRecord, _ request: borrowing Request, _ path: borrowing RequestPath
    ) -> Bool {
        guard let range = record.text(.organization) else { return false }
        guard let segment = request.resource.routes.value(of: parameter, in: request.match, path: copy path) else {
            return false
        }
        return record.bytes[range].elementsEqual(segment)
    }
}

/// Whether a token's record, or its issuer's answer about it, was kept.
public enum TokenCacheUse: String, Sendable, Hashable {
    case off, miss, hit
}
