import AccessControl
import CallerKeys
import HTTPMessages
import IdentityFields
import JOSE
import KeySets
import KnownTokens
import TokenVerification
import TypedIndices

/// One request's way through its checks: place, rule, credentials, token, decision, forwarding.
///
/// Each step takes the request and what the step before it found, and leaves what it learned in the facts.
struct RequestWalk: ~Copyable {
    let authorizer: RequestAuthorizer
    /// Whose signature is taken for granted; always nil for what is served.
    let assumed: AssumedSigner?
    var facts: AuthorizationFacts

    init(_ authorizer: RequestAuthorizer, assuming assumed: AssumedSigner? = nil, at now: NumericDate) {
        self.authorizer = authorizer
        self.assumed = assumed
        facts = AuthorizationFacts(at: now)
    }

    var now: NumericDate { facts.time }

    consuming func outcome(of request: inout AuthorizationRequest) -> AuthorizationOutcome {
        do throws(Interruption) {
            if !request.wasRead { try read(&request) }
            if let document = authorizer.document(for: request) { return .publish(document, facts) }
            let found = try place(of: request)
            if let answer = preflight(request, at: found) { return .preflight(answer, facts) }
            let rule = try rule(for: request, at: found)
            guard !isAnonymous(request.head, rule) else { return try forward(&request, rule, for: .nobody) }
            let field = try credentialsField(of: request.head, rule)
            let memory = try recall(tokenIn: field, &request, rule)
            if case .permission(_, let identityPlace) = memory, let permitted = permitted(&request, rule, identityPlace) {
                try charge(rule, for: .known(identityPlace), &request)
                return .forward(permitted, facts)
            }
            let token = try token(in: credentials(in: field, of: request.head, rule), request, rule, memory)
            if authorizer.denials != nil { try judgeDenials(of: token, rule) }
            try decide(token, request, rule)
            return try forward(&request, rule, for: .token(token))
        } catch {
            return observed(error, &request) ?? error.outcome(facts)
        }
    }

    // MARK: Place and rule

    private mutating func read(_ request: inout AuthorizationRequest) throws(Interruption) {
        request.lookedUp = nil
        do {
            let path = request.head.bytes.span.extracting(request.head.target.path)
            try request.path.canonicalize(path, encodedSlashes: authorizer.encodedSlashes)
        } catch {
            facts.hint = error.hint
            throw .reject(Rejection(.message(.badRequest)))
        }
    }

    private mutating func place(of request: borrowing AuthorizationRequest) throws(Interruption) -> RequestLocation {
        facts.stage = .place
        guard let (place, index, compiled) = authorizer.place(of: request) else {
            guard !request.path.hasParameters else { throw .reject(Rejection(.message(.badRequest))) }
            guard !request.path.hasEncodedSlashes else { throw badPath(Self.noPlace) }
            facts.hint = authorizer.placeHints.hint(for: request)
            throw .reject(Rejection(.routing(.noResource)))
        }
        try judgeEntrance(of: request, compiled)
        facts.resource = index
        if let terms = compiled.crossOrigin { try judgeOrigin(of: request, terms) }
        guard !request.path.hasParameters || compiled.resource.keepsPathParameters else {
            throw badPath(PathRejection.parametersHint)
        }
        return RequestLocation(place: place, compiled: compiled, decoded: try secondReading(of: request, at: place, compiled))
    }

    private mutating func rule(
        for request: borrowing AuthorizationRequest, at found: RequestLocation
    ) throws(Interruption) -> RuleInForce {
        facts.stage = .rule
        try judgeReadings(of: request, at: found)
        let method = request.head.bytes.span.extracting(request.head.method)
        guard let match = found.compiled.resource.routes.match(method: method, path: request.path, below: found.place.segments),
            let policy = found.compiled.resource.policies[match.ruleIndex]
        else {
            throw .reject(Rejection(.routing(.noRule)))
        }
        facts.match = match
        return RuleInForce(compiled: found.compiled, place: found.place, match: match, policy: policy)
    }

    // MARK: Credentials

    /// Whether no token is looked at. Where one may be left out, whatever looks like credentials is judged: a client that sends some
    /// must not be taken for nobody because they are no good.
    private func isAnonymous(_ head: borrowing RequestHead, _ rule: RuleInForce) -> Bool {
        switch rule.policy {
        case .public: return true
        case .token: return false
        case .optionalToken:
            guard head.first(.authorization) == nil, rule.resource.tokenPlace.first(in: head) == nil else { return false }
            guard let query = head.target.query else { return true }
            return !QueryCredentials.arePresent(in: head.bytes.span.extracting(query))
        }
    }

    /// Where the value stands that has the token; exactly one, in one field and nowhere else (RFC 6750 §2).
    private mutating func credentialsField(of head: borrowing RequestHead, _ rule: RuleInForce) throws(Interruption) -> Range<Int> {
        facts.stage = .credentials
        let place = rule.resource.tokenPlace
        guard let field = place.first(in: head) else {
            if head.contains(.authorization) { facts.hint = Self.tokenElsewhere(place) }
            throw rule.rejection(.credentials(.missing))
        }
        guard place.count(in: head) == 1 else { throw rule.rejection(.credentials(.multiple)) }
        if let query = head.target.query, QueryCredentials.arePresent(in: head.bytes.span.extracting(query)) {
            throw rule.rejection(.credentials(.multiple))
        }
        return field.value
    }

    /// Where the token stands.
    private func credentials(in field: Range<Int>, of head: borrowing RequestHead, _ rule: RuleInForce) throws(Interruption) -> Range<Int> {
        switch rule.resource.tokenPlace.credentials(in: head.bytes.span.extracting(field)) {
        case .absent: throw rule.rejection(.credentials(.missing))
        case .malformed: throw rule.rejection(.credentials(.malformed))
        case .token(let range): return field.lowerBound &+ range.lowerBound..<field.lowerBound &+ range.upperBound
        }
    }

    private static func tokenElsewhere(_ place: TokenPlace) -> String {
        "This resource takes the token from the field `\(place.fieldName)`; `Authorization` is not looked at."
    }

    // MARK: Known tokens

    /// What is remembered of the token; `request.record` holds it. Whether it is one at all is not asked: only tokens are remembered.
    private mutating func recall(
        tokenIn field: Range<Int>, _ request: inout AuthorizationRequest, _ rule: RuleInForce
    ) throws(Interruption) -> TokenMemory {
        guard let knownTokens = authorizer.knownTokens else {
            facts.cache = .off
            return .off
        }
        facts.cache = .miss
        let value = request.head.bytes.span.extracting(field)
        guard let token = rule.resource.tokenPlace.presumedToken(in: value), let resource = facts.resource else { return .off }
        let place = field.lowerBound &+ token.lowerBound..<field.lowerBound &+ token.upperBound
        guard let digest = digest(of: place, in: request, knownTokens) else { return .off }
        request.lookedUp = LookedUpToken(place: place, digest: digest)
        switch knownTokens.judge(digest, for: resource, rule.match, path: request.path, at: now, into: &request.record) {
        case .unknown: return .unknown(digest)
        case .permitted(let issuer, let identityPlace):
            (facts.cache, facts.issuer) = (.hit, issuer)
            return .permission(by: issuer, identityPlace: identityPlace)
        case .proved(let issuer): return .proof(by: issuer, digest)
        case .refused(let issuer, let refusal):
            (facts.cache, facts.issuer) = (.hit, issuer)
            throw interruption(refusal, rule)
        }
    }

    private func digest(of place: Range<Int>, in request: borrowing AuthorizationRequest, _ knownTokens: KnownTokens) -> TokenDigest? {
        if let lookedUp = request.lookedUp, lookedUp.place == place { return lookedUp.digest }
        return knownTokens.digest(of: request.head.bytes.span.extracting(place))
    }

    /// The answer to a known token that is refused without details of its own.
    private mutating func interruption(_ refusal: KnownTokens.Refusal, _ rule: RuleInForce) -> Interruption {
        let issuer = authorizer.rules(of: facts.issuer)
        switch refusal {
        case .token(let rejection):
            facts.stage = .token(.times)
            facts.hint = issuer?.hint(for: rejection, claims: nil)
            return rule.rejection(RejectionReason(rejection), maxAge: issuer?.maxAuthenticationAge)
        case .denied:
            facts.stage = .denials
            return rule.rejection(.token(.denied))
        case .policy(let denial, let missed):
            (facts.stage, facts.missed) = (.policy, missed)
            if denial == .organizationMismatch { facts.hint = issuer?.organizationHint }
            return rule.rejection(.policy(denial), missed: missed)
        }
    }

    private mutating func permitted(
        _ request: inout AuthorizationRequest, _ rule: RuleInForce, _ identityPlace: Int?
    ) -> Forwarding? {
        guard let forwarding = try? forwarding(of: &request, rule, for: .known(identityPlace)) else { return nil }
        facts.isAuthenticated = true
        return forwarding
    }

    // MARK: Token

    private mutating func token(
        in credentials: Range<Int>, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce, _ memory: TokenMemory
    ) throws(Interruption) -> VerifiedToken {
        facts.stage = .token(.form)
        let verification: Verification<Interruption>
        do throws(TokenRefusal) {
            verification = try verify(credentials, request, rule, memory)
        } catch {
            throw interruption(error, rule)
        }
        switch verification {
        case .verified(let token):
            facts.token = token
            facts.isAuthenticated = true
            return token
        case .undecided(let interruption): throw interruption
        }
    }

    private mutating func verify(
        _ credentials: Range<Int>, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce, _ memory: TokenMemory
    ) throws(TokenRefusal) -> Verification<Interruption> {
        let bytes = request.head.bytes.span.extracting(credentials)
        let token: UnverifiedToken
        do throws(TokenRejection) {
            token = try UnverifiedToken(bytes, authorizer.knownHeaders)
        } catch {
            // What is no compact JWS, with dots or without, is opaque: only its issuer can read it.
            guard (try? CompactJWS(bytes)) == nil else { throw TokenRefusal(error, .form) }
            return try verifyOpaque(credentials, form: error, request, rule, memory)
        }
        return try verify(token, bytes, request, rule, memory)
    }

    /// Every check of a token, in the verifier's order; the keys are those of one snapshot.
    private mutating func verify(
        _ token: UnverifiedToken, _ bytes: Span<UInt8>, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce,
        _ memory: TokenMemory
    ) throws(TokenRefusal) -> Verification<Interruption> {
        facts.keyID = token.header.keyID
        let accepted = try rule.compiled.issuer(of: token)
        guard let issuer = authorizer.issuers[accepted.issuer] else { throw TokenRefusal(.issuerMismatch, .issuer, claims: token.claims) }
        facts.issuer = accepted.issuer
        facts.stage = .token(.key)
        // A token that passed one issuer's rules is not verified for another's, although both may have the same `iss` and keys.
        let isProved = memory.provedIssuer == accepted.issuer
        if memory.provedIssuer != nil { facts.cache = isProved ? .hit : .miss }
        let (answer, mayVerify, now, assumed) = (request.keyAnswer, request.maySpendVerification, now, assumed)
        // Before the keys: should one of them go meanwhile, what it proves is not kept.
        let keyEpochs = isProved ? nil : issuer.stores.mapped(\.keyEpoch)
        var usedKeySet: KeySetIndex?
        let verification = try issuer.verifier.verify(
            token, bytes, audiences: accepted.audiences, at: now
        ) { identifier throws(TokenRejection) -> KeyFinding<Interruption> in
            if isProved { return .known }
            if let assumed { return .assumed(try assumed.signature(of: accepted.issuer)) }
            switch try issuer.key(for: token, identifier: identifier, after: answer, at: now) {
            case .found(let key):
                guard mayVerify else { return .missing(.reject(Rejection(.gateway(.rateLimited), retryAfter: .seconds(1)))) }
                usedKeySet = key.keySet
                return .key(key)
            case .wait(let keySet):
                return .missing(.wait(.keys(KeyWait(issuer: accepted.issuer, keySet: keySet, keyID: token.header.keyID))))
            case .unavailable(let retryAfter):
                return .missing(.reject(Rejection(.gateway(.keysUnavailable), retryAfter: retryAfter)))
            }
        }
        if case .verified(let verified) = verification, let usedKeySet, let keyEpoch = keyEpochs?[usedKeySet] {
            authorizer.knownHeaders.keep(headerOf: token, bytes)
            if let digest = memory.digest {
                authorizer.knownTokens?.keep(verified, digest, issuer: accepted.issuer, keySet: usedKeySet, keyEpoch: keyEpoch, at: now)
            }
        }
        return verification
    }

    /// The answer to a token that was refused, with what the operator should know about it.
    private mutating func interruption(_ refusal: TokenRefusal, _ rule: RuleInForce) -> Interruption {
        (facts.stage, facts.missed) = (.token(refusal.check), refusal.missed)
        facts.signed = refusal.signed
        let issuer = authorizer.rules(of: facts.issuer)
        if facts.hint == nil {
            facts.hint =
                if facts.isOpaque {
                    issuer?.hint(for: refusal.rejection, ofOpaque: facts.introspected)
                } else if let issuer {
                    issuer.hint(for: refusal.rejection, claims: refusal.claims, keyID: facts.keyID)
                } else {
                    rule.compiled.hint(for: refusal)
                }
            facts.hint = facts.hint ?? rule.compiled.mistakes.hint(for: refusal, issuer: issuer)
        }
        return rule.rejection(RejectionReason(refusal.rejection), maxAge: issuer?.maxAuthenticationAge)
    }

    // MARK: Decision and permission

    /// Whether the deny list names a token that is otherwise good.
    private mutating func judgeDenials(of token: VerifiedToken, _ rule: RuleInForce) throws(Interruption) {
        facts.stage = .denials
        switch authorizer.denial(of: token, at: now) {
        case .none: return
        case .by: throw rule.rejection(.token(.denied))
        case .unknown: throw rule.rejection(RejectionReason(.verificationUnavailable))
        }
    }

    private mutating func decide(
        _ token: VerifiedToken, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce
    ) throws(Interruption) {
        facts.stage = .policy
        let context = RequirementContext(
            token: token, pathParameters: rule.resource.pathParameters(of: request, in: rule.match), now: now)
        guard case .denied(let denial, let missed) = rule.policy.decide(context) else { return }
        facts.missed = missed
        if denial == .organizationMismatch { facts.hint = token.verifier.issuer.organizationHint }
        throw rule.rejection(.policy(denial), token: token, missed: missed)
    }

    private mutating func forward(
        _ request: inout AuthorizationRequest, _ rule: RuleInForce, for caller: Caller
    ) throws(Interruption) -> AuthorizationOutcome {
        let forwarding = try forwarding(of: &request, rule, for: caller)
        try charge(rule, for: caller, &request)
        return .forward(forwarding, facts)
    }

    private mutating func forwarding(
        of request: inout AuthorizationRequest, _ rule: RuleInForce, for caller: Caller
    ) throws(Interruption) -> Forwarding {
        facts.stage = .forwarding
        // Upstreams are told apart by path alone: their patterns are for any method.
        let target = rule.resource.upstream(for: request.path, at: rule.place)
        guard target != nil || rule.resource.isForDoorsAlone else { throw .reject(Rejection(.routing(.noResource))) }
        request.identityFields.removeAll(keepingCapacity: true)
        try appendIdentity(of: caller, to: &request, rule)
        if rule.resource.statesClientCertificate { try appendCertificate(to: &request, rule, for: caller) }
        let keepsToken = rule.resource.keepsAuthorization && caller.isAuthenticated
        return Forwarding(
            upstream: target?.upstream,
            pathStart: rule.compiled.resource.stripsPrefix ? request.path.suffixStart(afterSegments: rule.place.segments) : 0,
            keepsAuthorization: keepsToken && rule.resource.tokenPlace == .authorization,
            tokenField: keepsToken ? tokenField(of: request.head, rule) : [],
            identityFields: request.identityFields,
            spread: target.flatMap { spread($0.route, for: caller, request, rule) }
        )
    }

    /// The line with the token where that is no `Authorization` field; empty otherwise.
    private func tokenField(of head: borrowing RequestHead, _ rule: RuleInForce) -> [UInt8] {
        guard case .field(let field) = rule.resource.tokenPlace, let value = head.section.first(field.name)?.value else { return [] }
        return field.name.spelling + Array(": ".utf8) + head.bytes[value] + Array("\r\n".utf8)
    }

    private func spread(_ route: RuleIndex, for caller: Caller, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce) -> UInt64? {
        guard let question = rule.compiled.spreads[route] ?? nil else { return nil }
        let answer = answer(question, of: caller, request)
        return answer.isNone ? nil : answer.low
    }

    /// Appends the fields that state the caller's identity to the upstream, from the token or its record.
    private func appendIdentity(of caller: Caller, to request: inout AuthorizationRequest, _ rule: RuleInForce) throws(Interruption) {
        switch caller {
        case .nobody, .known(nil): break
        case .token(let token):
            for field in rule.resource.identityFields where !field.append(for: token, to: &request.identityFields) {
                throw rule.rejection(.policy(.identityTooLarge))
            }
        case .known(let place?):
            guard let lines = request.record.identityLines(place) else { throw rule.rejection(.policy(.identityTooLarge)) }
            request.identityFields.append(contentsOf: lines)
        }
    }

    /// Appends the field that states the client's certificate (RFC 9440); none for a client that showed none.
    private func appendCertificate(
        to request: inout AuthorizationRequest, _ rule: RuleInForce, for caller: Caller
    ) throws(Interruption) {
        guard let certificate = request.clientCertificate else { return }
        guard certificate.fieldValue.count <= rule.resource.longestIdentity else {
            // A token would change nothing where none is looked at.
            guard caller.isAuthenticated else { throw .reject(Rejection(.policy(.identityTooLarge))) }
            throw rule.rejection(.policy(.identityTooLarge))
        }
        request.identityFields.append(contentsOf: FieldName.clientCertificate.spelling)
        request.identityFields.append(contentsOf: ": ".utf8)
        request.identityFields.append(contentsOf: certificate.fieldValue)
        request.identityFields.append(contentsOf: "\r\n".utf8)
    }
}

/// What is remembered of the bytes that would be the token.
enum TokenMemory {
    /// Nothing, and nothing is to be: there is no cache, or it is not the usual form of a token.
    case off
    case unknown(TokenDigest)
    /// A key of this issuer's that is still valid has signed it, and may vouch for it; its claims are to be read again.
    case proof(by: IssuerIndex, TokenDigest)
    /// The same, and what is remembered permits the request.
    case permission(by: IssuerIndex, identityPlace: Int?)

    var digest: TokenDigest? {
        switch self {
        case .off, .permission: nil
        case .unknown(let digest), .proof(_, let digest): digest
        }
    }

    var provedIssuer: IssuerIndex? {
        switch self {
        case .off, .unknown: nil
        case .proof(let issuer, _), .permission(let issuer, _): issuer
        }
    }
}

/// The caller, as far as a permission has to state it.
enum Caller {
    case nobody
    case token(VerifiedToken)
    /// The identity in the request's record, with the index of the lines for this resource; nil: it sends none.
    case known(Int?)

    var isAuthenticated: Bool {
        if case .nobody = self { false } else { true }
    }
}
