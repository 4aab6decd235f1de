import AccessControl
import HTTPMessages
import JOSE
import KeySets
import TokenVerification
import TypedIndices

/// Permits requests by tokens that were verified before, without verifying them again.
///
/// A record says that exactly this token was signed by a key of its issuer, and what it says. Time, audience and policy are asked on every
/// request; the key must still be there, and its set not too old. Whatever is not permitted here is judged from the beginning.
final class KnownTokens: Sendable {
    let cache: VerifiedTokenCache
    let digestKey: TokenDigestKey
    let layout: TokenRecordLayout
    private let issuers: IndexedBy<IssuerIndex, Issuer>

    /// What is asked of an issuer's records: that its key sets still vouch for them, and what its rules ask of time.
    private struct Issuer {
        let stores: IndexedBy<KeySetIndex, KeySetStore>
        let terms: Terms
    }

    /// What an issuer's rules ask of time, in seconds.
    private struct Terms {
        let leeway: Double
        let maxLifetime: Double?
        let asksForAuthenticationTime: Bool
        let maxAuthenticationAge: Double?

        init(_ issuer: TrustedIssuer) {
            leeway = issuer.leeway.inSeconds
            maxLifetime = issuer.maxLifetime?.inSeconds
            asksForAuthenticationTime = issuer.requiresAuthenticationTime || issuer.maxAuthenticationAge != nil
            maxAuthenticationAge = issuer.maxAuthenticationAge?.inSeconds
        }
    }

    init(cache: VerifiedTokenCache, digestKey: TokenDigestKey, layout: TokenRecordLayout, issuers: IndexedBy<IssuerIndex, IssuerKeys>) {
        self.cache = cache
        self.digestKey = digestKey
        self.layout = layout
        self.issuers = issuers.mapped { Issuer(stores: $0.stores, terms: Terms($0.verifier.issuer)) }
    }

    /// A permission by what is known of a token.
    struct Permission {
        let issuer: IssuerIndex
        /// Where in the record the identity lines for the resource are; nil: it sends none.
        let identityPlace: Int?
    }

    /// Whether the request is permitted by what is known of its token; `request.record` then holds that.
    func permit(
        _ digest: TokenDigest, _ request: inout AuthorizationRequest, _ rule: RuleInForce, resource: ResourceIndex, at now: NumericDate
    ) -> Permission? {
        guard cache.lookup(digest, at: now, into: &request.record), let record = TokenRecord(request.record.bytes) else { return nil }
        guard let issuer = issuers[record.issuer], let resource = layout.resources[resource],
            let policy = resource.policies[rule.match.ruleIndex]
        else { return nil }
        guard let store = issuer.stores[record.keySet], store.vouches(for: record.keyEpoch, at: now) else { return nil }
        guard isTimely(record, issuer.terms, at: now) else { return nil }
        guard permits(policy, record, request, rule, issuer.terms, at: now) else { return nil }
        return Permission(issuer: record.issuer, identityPlace: resource.identityPlace)
    }

    /// Keeps what a verified token says, if the key that signed it still stands.
    func keep(
        _ token: VerifiedToken, _ digest: TokenDigest, issuer: IssuerIndex, keySet: KeySetIndex, keyEpoch: UInt64, at now: NumericDate
    ) {
        guard let expiration = token.expiration,
            let record = layout.record(of: token, issuer: issuer, keySet: keySet, keyEpoch: keyEpoch)
        else { return }
        cache.insert(digest, record: record.span, until: expiration + token.verifier.issuer.leeway, at: now)
    }

    // MARK: Time

    /// As `TokenVerifier.judgeClaims` asks it.
    private func isTimely(_ record: TokenRecord, _ terms: Terms, at now: NumericDate) -> Bool {
        let expiration = record.expiration.seconds
        guard now.seconds < expiration + terms.leeway, record.notBefore.seconds <= now.seconds + terms.leeway else { return false }
        if record.flags.contains(.lifetimeCountsFromNow), let limit = terms.maxLifetime, expiration > now.seconds + limit { return false }
        return !terms.asksForAuthenticationTime || isAuthenticated(record, within: terms.maxAuthenticationAge, terms, at: now)
    }

    private func isAuthenticated(_ record: TokenRecord, within limit: Double?, _ terms: Terms, at now: NumericDate) -> Bool {
        guard let time = record.authenticationTime?.seconds, time <= now.seconds + terms.leeway else { return false }
        return limit.map { now.seconds <= time + $0 + terms.leeway } ?? true
    }

    // MARK: Policy

    private func permits(
        _ policy: PermitPolicy, _ record: TokenRecord, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce, _ terms: Terms,
        at now: NumericDate
    ) -> Bool {
        guard record.hasAll(policy.needed) else { return false }
        if record.flags.contains(.isOnlyForOrganizationRules), !policy.asksForOrganization { return false }
        for step in policy.steps {
            let isMet =
                switch step {
                case .any(let atoms): record.hasAny(atoms)
                case .organization(let parameter): isFor(parameter, record, request, rule)
                case .maxAge(let limit): isAuthenticated(record, within: limit, terms, at: now)
                }
            guard isMet else { return false }
        }
        return true
    }

    private func isFor(
        _ parameter: String, _ record: TokenRecord, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce
    ) -> Bool {
        guard let range = record.text(.organization) else { return false }
        guard let segment = rule.compiled.resource.routes.value(of: parameter, in: rule.match, path: request.path) else { return false }
        return record.bytes[range].elementsEqual(segment)
    }
}

/// Whether a token's record, or its issuer's answer about it, was kept.
public enum TokenCacheUse: String, Sendable, Hashable {
    case off, miss, hit
}
