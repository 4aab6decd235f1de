import AccessControl
import HTTPMessages
import JOSE
import KeySets
import TokenVerification
import TypedIndices

/// Decides requests: which resource and rule each is for, whether its token is good, and whether that is enough.
///
/// Immutable, and free of I/O and clocks: the gateway, `explain` and the tests call the same function. Only the key sets
/// change underneath it, and each verdict uses one snapshot of one set.
public final class RequestAuthorizer: Sendable {
    public let resources: IndexedBy<ResourceIndex, ProtectedResource>
    public let issuers: IndexedBy<IssuerIndex, IssuerKeys>
    /// Which fields only Bearward may state.
    public let edits: HeaderEdits

    private let places: PlaceTable
    /// The resource of each place.
    private let placeResources: IndexedBy<PlaceIndex, ResourceIndex>
    let compiled: IndexedBy<ResourceIndex, CompiledResource>
    private let documents: MetadataTable
    let digestKey: TokenDigestKey?
    private let knownTokens: KnownTokens?
    let knownHeaders = KnownHeaders()

    /// - Parameters:
    ///   - digestKey: under which opaque and known tokens are looked up; without it, they are not.
    ///   - cache: where verified tokens are remembered, for this configuration alone; nil: nowhere.
    /// - Throws: if two resources are at the same place.
    public init(
        resources: IndexedBy<ResourceIndex, ProtectedResource>, issuers: IndexedBy<IssuerIndex, IssuerKeys>,
        digestKey: TokenDigestKey? = nil, cache: VerifiedTokenCache? = nil
    ) throws(PlaceConflict) {
        knownTokens = cache.flatMap { cache in
            digestKey.map { digestKey in
                let layout = TokenRecordLayout(resources, issuers: issuers)
                return KnownTokens(cache: cache, digestKey: digestKey, layout: layout, issuers: issuers)
            }
        }
        self.resources = resources
        self.digestKey = digestKey
        self.issuers = issuers
        placeResources = IndexedBy(resources.indexed.flatMap { index, resource in resource.places.map { _ in index } })
        places = try PlaceTable(resources.flatMap(\.places))
        let compiled = resources.mapped { CompiledResource($0, issuers: issuers) }
        self.compiled = compiled
        documents = MetadataTable(compiled.map { ($0.resource.places, $0.metadata) })
        edits = HeaderEdits(identityFields: resources.flatMap { $0.identityFields.map(\.name) })
    }

    /// Forgets which tokens were verified and gives their memory back; each is verified anew when it comes again.
    public func forgetKnownTokens() {
        knownTokens?.cache.removeAll()
    }

    /// The verdict on one request at one time.
    ///
    /// After `.wait`, set `request.answer` to how the wait ended and ask again.
    public func authorize(_ request: inout AuthorizationRequest, at now: NumericDate) -> AuthorizationOutcome {
        var facts = AuthorizationFacts()
        do throws(Interruption) {
            try canonicalize(&request)
            if let document = documents.document(for: request) { return .publish(document, facts) }
            let (place, resource) = try locate(request, &facts)
            let rule = try matchRule(request, place, of: resource, &facts)
            guard case .token = rule.policy else { return .forward(try forwarding(&request, rule, .nobody, &facts), facts) }
            let field = try credentialsField(of: request.head, rule, &facts)
            let digest = digest(ofTokenIn: field, request, &facts)
            if let digest, let known = permitted(digest, &request, rule, &facts, at: now) { return .forward(known, consume facts) }
            let credentials = try credentials(in: field, of: request.head, rule)
            let token = try requireToken(credentials, request, rule, &facts, digest: digest, at: now)
            try decide(token, request, rule, &facts, at: now)
            return .forward(try forwarding(&request, rule, .token(token), &facts), facts)
        } catch {
            return error.outcome(facts)
        }
    }

    // MARK: Place and rule

    private func canonicalize(_ request: inout AuthorizationRequest) throws(Interruption) {
        do {
            try request.path.canonicalize(request.head.bytes.span.extracting(request.head.target.path))
        } catch {
            throw .reject(Rejection(.badRequest))
        }
    }

    private func locate(
        _ request: borrowing AuthorizationRequest, _ facts: inout AuthorizationFacts
    ) throws(Interruption) -> (PlaceMatch, CompiledResource) {
        facts.stage = .place
        guard let place = places.match(request), let index = placeResources[place.placeIndex], let compiled = compiled[index] else {
            throw .reject(Rejection(request.path.hasParameters ? .badRequest : .noResource))
        }
        facts.resource = index
        guard !request.path.hasParameters || compiled.resource.keepsPathParameters else { throw .reject(Rejection(.badRequest)) }
        return (place, compiled)
    }

    private func matchRule(
        _ request: borrowing AuthorizationRequest, _ place: PlaceMatch, of compiled: CompiledResource, _ facts: inout AuthorizationFacts
    ) throws(Interruption) -> RuleInForce {
        facts.stage = .rule
        let method = request.head.bytes.span.extracting(request.head.method)
        guard let match = compiled.resource.routes.match(method: method, path: request.path, below: place.segments),
            let policy = compiled.resource.policies[match.ruleIndex]
        else {
            throw .reject(Rejection(.noRule))
        }
        facts.match = match
        return RuleInForce(compiled: compiled, place: place, match: match, policy: policy)
    }

    // MARK: Credentials

    /// Where the value stands that has the token; exactly one, in the header and nowhere else (RFC 6750 §2).
    private func credentialsField(
        of head: borrowing RequestHead, _ rule: RuleInForce, _ facts: inout AuthorizationFacts
    ) throws(Interruption) -> Range<Int> {
        facts.stage = .credentials
        guard let field = head.first(.authorization) else { throw rule.rejection(.missingCredentials) }
        guard head.count(of: .authorization) == 1 else { throw rule.rejection(.multipleCredentials) }
        if let query = head.target.query, QueryCredentials.arePresent(in: head.bytes.span.extracting(query)) {
            throw rule.rejection(.multipleCredentials)
        }
        return field.value
    }

    /// Where the token stands.
    private func credentials(in field: Range<Int>, of head: borrowing RequestHead, _ rule: RuleInForce) throws(Interruption) -> Range<Int> {
        switch BearerCredentials(head.bytes.span.extracting(field)) {
        case .absent: throw rule.rejection(.missingCredentials)
        case .malformed: throw rule.rejection(.malformedCredentials)
        case .token(let range): return field.lowerBound &+ range.lowerBound..<field.lowerBound &+ range.upperBound
        }
    }

    // MARK: Known tokens

    /// The digest of what would be the token. Whether it is one is not asked: under this digest only bytes are known that are.
    private func digest(ofTokenIn field: Range<Int>, _ request: borrowing AuthorizationRequest, _ facts: inout AuthorizationFacts)
        -> TokenDigest?
    {
        guard let digestKey = knownTokens?.digestKey else {
            facts.cache = .off
            return nil
        }
        facts.cache = .miss
        let value = request.head.bytes.span.extracting(field)
        guard let token = BearerCredentials.presumedToken(in: value) else { return nil }
        return digestKey.digest(of: value.extracting(token))
    }

    /// The permission for a request whose token was verified before; nil where that is not enough to permit it.
    private func permitted(
        _ digest: TokenDigest, _ request: inout AuthorizationRequest, _ rule: RuleInForce, _ facts: inout AuthorizationFacts,
        at now: NumericDate
    ) -> Forwarding? {
        guard let knownTokens, let resource = facts.resource,
            let permission = knownTokens.permit(digest, &request, rule, resource: resource, at: now),
            let forwarding = try? forwarding(&request, rule, .known(permission.identityPlace), &facts)
        else { return nil }
        facts.issuer = issuers[permission.issuer]?.verifier.issuer.name
        facts.cache = .hit
        facts.isAuthenticated = true
        return forwarding
    }

    // MARK: Token

    /// Every check of the token, in `TokenVerifier`'s order; the keys are those of one snapshot.
    private func verify(
        _ token: UnverifiedToken, _ credentials: Range<Int>, _ request: AuthorizationRequest, _ rule: RuleInForce,
        _ facts: inout AuthorizationFacts, digest: TokenDigest?, at now: NumericDate
    ) throws(TokenRejection) -> Verification {
        facts.keyID = token.header.keyID
        facts.stage = .issuer
        let accepted = try rule.compiled.issuer(of: token)
        guard let issuer = issuers[accepted.issuer] else { throw .issuerMismatch }
        let verifier = issuer.verifier
        facts.issuer = verifier.issuer.name
        let identifier = try verifier.judgeIssuer(of: token)
        facts.stage = .header
        try verifier.judgeHeader(of: token)
        facts.stage = .key
        // Before the keys: should one of them go meanwhile, what it proves is not kept.
        let keyEpochs = issuer.stores.mapped(\.keyEpoch)
        switch try issuer.key(for: token, identifier: identifier, after: request.keyAnswer, at: now) {
        case .found(let key):
            facts.stage = .signature
            guard request.maySpendVerification else { return .unavailable(.rateLimited, retryAfter: .seconds(1)) }
            let bytes = request.head.bytes.span.extracting(credentials)
            let signed = try verifier.judgeSignature(of: token, bytes, with: key, identifier: identifier)
            knownHeaders.keep(headerOf: token, bytes)
            facts.stage = .claims
            facts.signed = signed
            let verified = try verifier.judgeClaims(of: signed, audiences: accepted.audiences, at: now)
            if let digest, let knownTokens, let keyEpoch = keyEpochs[key.keySet] {
                knownTokens.keep(verified, digest, issuer: accepted.issuer, keySet: key.keySet, keyEpoch: keyEpoch, at: now)
            }
            return .verified(verified)
        case .wait(let keySet): return .wait(.keys(KeyWait(issuer: accepted.issuer, keySet: keySet, keyID: token.header.keyID)))
        case .unavailable(let retryAfter): return .unavailable(.keysUnavailable, retryAfter: retryAfter)
        }
    }

    private func requireToken(
        _ credentials: Range<Int>, _ request: AuthorizationRequest, _ rule: RuleInForce, _ facts: inout AuthorizationFacts,
        digest: TokenDigest?, at now: NumericDate
    ) throws(Interruption) -> VerifiedToken {
        facts.stage = .form
        var unverified: UnverifiedToken?
        let verification: Verification
        do throws(TokenRejection) {
            do throws(TokenRejection) {
                let token = try UnverifiedToken(request.head.bytes.span.extracting(credentials), knownHeaders)
                unverified = token
                verification = try verify(token, credentials, request, rule, &facts, digest: digest, at: now)
            } catch {
                // What is no compact JWS, with dots or without, means something to its issuer alone.
                guard unverified == nil, (try? CompactJWS(request.head.bytes.span.extracting(credentials))) == nil else { throw error }
                verification = try judgeOpaque(credentials, error, request, rule, &facts, digest: digest, at: now)
            }
        } catch {
            throw refusal(error, of: unverified, rule, &facts)
        }
        switch verification {
        case .verified(let token):
            facts.token = token
            facts.isAuthenticated = true
            return token
        case .wait(let wait): throw .wait(wait)
        case .unavailable(let reason, let retryAfter): throw .reject(Rejection(reason, retryAfter: retryAfter))
        }
    }

    /// The answer to a token that was refused, with what the operator should know about it.
    private func refusal(
        _ rejection: TokenRejection, of token: UnverifiedToken?, _ rule: RuleInForce, _ facts: inout AuthorizationFacts
    ) -> Interruption {
        let verifier = issuers.first { $0.verifier.issuer.name == facts.issuer }?.verifier
        if facts.hint == nil {
            facts.hint =
                if facts.isOpaque {
                    verifier?.issuer.hint(for: rejection, ofOpaque: facts.introspected)
                } else if let verifier {
                    verifier.issuer.hint(for: rejection, claims: token?.claims, keyID: facts.keyID)
                } else {
                    rule.compiled.hint(for: rejection, token)
                }
        }
        return rule.rejection(RejectionReason(rejection), maxAge: verifier?.issuer.maxAuthenticationAge)
    }

    // MARK: Decision and permission

    private func decide(
        _ token: VerifiedToken, _ request: AuthorizationRequest, _ rule: RuleInForce, _ facts: inout AuthorizationFacts,
        at now: NumericDate
    ) throws(Interruption) {
        facts.stage = .policy
        let context = RequirementContext(
            token: token, pathParameters: rule.compiled.resource.pathParameters(of: request, in: rule.match), now: now)
        guard case .denied(let denial) = rule.policy.decide(context) else { return }
        if denial == .organizationMismatch { facts.hint = token.verifier.issuer.organizationHint }
        throw rule.rejection(RejectionReason(denial), token: token)
    }

    private func forwarding(
        _ request: inout AuthorizationRequest, _ rule: RuleInForce, _ caller: Caller, _ facts: inout AuthorizationFacts
    ) throws(Interruption) -> Forwarding {
        facts.stage = .forwarding
        // Upstreams are told apart by path alone: their patterns are for any method.
        guard let route = rule.compiled.resource.upstreamRoutes.match(path: request.path, below: rule.place.segments),
            let upstream = rule.compiled.resource.upstreams[route.ruleIndex]
        else {
            throw .reject(Rejection(.noResource))
        }
        request.identityFields.removeAll(keepingCapacity: true)
        try appendIdentity(of: caller, to: &request, rule)
        return Forwarding(
            upstream: upstream,
            pathStart: rule.compiled.resource.stripsPrefix ? request.path.suffixStart(afterSegments: rule.place.segments) : 0,
            keepsAuthorization: rule.compiled.resource.keepsAuthorization && caller.isAuthenticated,
            identityFields: request.identityFields,
        )
    }
}

extension RequestAuthorizer {
    /// Appends the fields that tell the upstream who calls, from the token or from what is known of it.
    private func appendIdentity(of caller: Caller, to request: inout AuthorizationRequest, _ rule: RuleInForce) throws(Interruption) {
        switch caller {
        case .nobody, .known(nil): break
        case .token(let token):
            for field in rule.compiled.resource.identityFields where !field.append(for: token, to: &request.identityFields) {
                throw rule.rejection(.claimRequired)
            }
        case .known(let place?):
            guard let record = TokenRecord(request.record.bytes), case .at(let range) = record.identityLines(place) else {
                throw rule.rejection(.claimRequired)
            }
            request.identityFields.append(contentsOf: record.bytes[range])
        }
    }

    /// Who calls, as far as a permission has to say it.
    private enum Caller {
        case nobody
        case token(VerifiedToken)
        /// Whom the request's record speaks of, with the lines for this resource at a place; nil: it sends none.
        case known(Int?)

        var isAuthenticated: Bool {
            if case .nobody = self { false } else { true }
        }
    }
}

/// How far the verification of a token came.
enum Verification {
    case verified(VerifiedToken)
    case wait(AuthorizationWait)
    case unavailable(RejectionReason, retryAfter: Duration?)
}
