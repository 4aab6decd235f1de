import AccessControl
import Callers
import JOSE
import KeySets
import TokenVerification

/// Issuer whose tokens can be cached: its rules and its current keys.
public struct KnownIssuer: Sendable {
    public let rules: TrustedIssuer
    /// One store for each of the issuer's key sets, in their order.
    public let stores: IndexedBy<KeySetIndex, KeySetStore>
    /// Stores of the issuer's realms. Nil if it has no realms by pattern.
    public let realms: RealmStores?

    public init(rules: TrustedIssuer, stores: IndexedBy<KeySetIndex, KeySetStore>, realms: RealmStores? = nil) {
        self.rules = rules
        self.stores = stores
        self.realms = realms
    }
}

/// Judges requests by cached tokens, which were verified before, without verifying them again.
///
/// A record proves that a key of the issuer signed exactly this token, and holds what it states. Times, audience and
/// policy are checked on every request. The key must still be in its set, and the set not too old.
///
/// The verdict equals that of the verifier and the policy. If a rejection needs more detail than a record has, the
/// claims are parsed again. The signature, and the issuers that its key may vouch for, are not checked again.
public final class KnownTokens: Sendable {
    private let cache: VerifiedTokenCache
    private let digestKey: TokenDigestKey
    private let layout: TokenRecordLayout
    private let issuers: IndexedBy<IssuerIndex, Issuer>
    private let denials: DenyList?

    /// Per-issuer checks of records: key sets that still vouch for them, and rules about times.
    private final class Issuer: Sendable {
        private let stores: IndexedBy<KeySetIndex, KeySetStore>
        private let realms: RealmStores?
        let times: TimeRules
        /// Rejections that have a hint which depends on the token's claims.
        let explained: Set<TokenRejection>
        /// True if the challenge for a stronger authentication is always the standard one, and never depends on the
        /// client's token.
        let hasStandardChallenge: Bool

        init(_ known: KnownIssuer) {
            let issuer = known.rules
            stores = known.stores
            realms = known.realms
            times = issuer.times
            explained = Set(issuer.hints.filter { $0.condition != nil }.map(\.rejection))
            hasStandardChallenge = issuer.stepUp == .standard
        }

        func store(_ keySet: KeySetIndex) -> KeySetStore? { stores[keySet] ?? realms?.store(keySet) }
    }

    /// - Parameters:
    ///   - cache: a cache of this configuration alone: a record is meaningless under another.
    ///   - digestKey: key of the digests under which tokens are looked up.
    ///   - callers: questions whose answers are stored for each caller.
    ///   - logged: values that records keep for the access log.
    ///   - denials: deny list that each token is checked against. Nil if there is none.
    public init(
        cache: VerifiedTokenCache, digestKey: TokenDigestKey, resources: IndexedBy<ResourceIndex, KnownResource>,
        issuers: IndexedBy<IssuerIndex, KnownIssuer>, callers: CallerQuestions = .none, logged: [LoggedMember] = [],
        denials: DenyList? = nil
    ) {
        self.cache = cache
        self.digestKey = digestKey
        self.denials = denials
        layout = TokenRecordLayout(
            resources, issuers: issuers.mapped(\.rules), callers: callers, logged: logged, denyDigests: denials?.digests
        )
        self.issuers = issuers.mapped(Issuer.init)
    }

    /// Digest under which a token is looked up in the cache. Nil if the cryptographic library failed.
    public func digest(of token: Span<UInt8>) -> TokenDigest? { digestKey.digest(of: token) }

    /// Empties the cache and frees its memory.
    public func removeAll() { cache.removeAll() }

    /// Verdict of the cache on a request's token.
    public enum Judgement: Sendable {
        /// No record, or none that is still valid.
        case unknown
        /// The request is permitted. `identityPlace` is the index of the resource's identity lines in the record. Nil
        /// if the resource forwards no identity.
        case permitted(IssuerIndex, identityPlace: Int?)
        /// The token is rejected for this reason, and no more detail is needed.
        case refused(IssuerIndex, Refusal)
        /// A key of this issuer that is still valid signed the token. Its claims must be parsed for the verdict.
        case proved(IssuerIndex)
    }

    /// Reason for which a cached token is rejected.
    public enum Refusal: Sendable, Hashable {
        /// Rejected for its times.
        case token(TokenRejection)
        /// Rejected by the deny list.
        case denied
        /// Rejected by the policy. `missed` is the index of the unmet requirement, as in `Decision`.
        case policy(Denial, missed: Int?)
    }

    /// Judges a request by the cached record of its token, and copies the record to `record`.
    ///
    /// - Parameters:
    ///   - match: the rule of the resource that the request matched.
    ///   - path: the path of the request.
    public func judge(
        _ digest: TokenDigest, for resource: ResourceIndex, _ match: RouteMatch, path: borrowing RequestPath,
        at now: NumericDate,
        into record: inout TokenRecordBytes
    ) -> Judgement {
        guard cache.lookup(digest, at: now, into: &record), let record = TokenRecord(record.bytes),
            let issuer = issuers[record.issuer], let resource = layout.resources[resource],
            let policy = resource.policies[match.ruleIndex]
        else { return .unknown }
        guard let store = issuer.store(record.keySet), store.vouches(for: record.keyEpoch, at: now) else {
            return .unknown
        }
        // The token was not accepted for this resource: it is for another one, or of an issuer whose rules do not apply
        // here.
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
        // The challenge may depend on the token's claims.
        guard denial != .authenticationTooWeak || issuer.hasStandardChallenge else { return .proved(record.issuer) }
        return .refused(record.issuer, .policy(denial, missed: missed))
    }

    /// Facts about a request that affect the verdict, besides its token and path.
    private struct Request {
        let resource: TokenRecordLayout.Resource
        let match: RouteMatch
        let now: NumericDate
    }

    /// Caches the record of a verified token. It stays valid only as long as its key does.
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

    /// Time that a token stays cached after its expiry. Clients keep sending it until they notice, and rejecting it
    /// from the cache needs no signature check.
    private static let afterlife = Duration.seconds(300)

    // MARK: Time

    /// The rejection of the token for its times, as `TokenVerifier` judges them. Nil if the token is valid now. Checks
    /// that do not depend on the current time were done when the token was cached.
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

    /// Judges a record by a policy, with the same verdict as `AccessPolicy.decide`.
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

    /// The denial for an unmet step; equals that of `Requirement.denial(in:)`.
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

    /// True if a met step names the token's organization; equals `Requirement.namesOrganization(in:)`.
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

/// Result of the cache lookup for a token, or for the introspection response about it.
public enum TokenCacheUse: String, Sendable, Hashable {
    case off, miss, hit
}
