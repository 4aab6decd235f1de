import AccessControl
import HTTPMessages
import JOSE
import TokenVerification

/// The checks of one request in order: place, rule, credentials, token, decision, forwarding.
///
/// Each step takes the request and the result of the step before, and records what it learned in the facts.
struct RequestWalk: ~Copyable {
    let authorizer: RequestAuthorizer
    /// The issuer whose signature is assumed, not checked. Always nil in the gateway.
    let assumed: AssumedSigner?
    /// The known resource and rule of the request. Nil if they must be looked up.
    let route: RequestRoute?
    var facts: AuthorizationFacts

    init(
        _ authorizer: RequestAuthorizer, assuming assumed: AssumedSigner? = nil, along route: RequestRoute? = nil,
        at now: NumericDate
    ) {
        self.authorizer = authorizer
        self.assumed = assumed
        self.route = route
        facts = AuthorizationFacts(at: now)
    }

    var now: NumericDate { facts.time }

    consuming func outcome(of request: inout AuthorizationRequest) -> AuthorizationOutcome {
        do throws(Interruption) {
            switch try answer(to: &request) {
            case .forward(let forwarding): return .forward(forwarding, facts)
            case .preflight(let answer): return .preflight(answer, facts)
            case .publish(let document): return .publish(document, facts)
            }
        } catch {
            return error.outcome(facts)
        }
    }

    /// Returns the verdict as one plain value, for callers that do not need the facts.
    mutating func verdict(on request: inout AuthorizationRequest) -> Verdict {
        do throws(Interruption) {
            return Verdict(try answer(to: &request))
        } catch {
            return Verdict(error, at: facts.stage)
        }
    }

    private mutating func answer(to request: inout AuthorizationRequest) throws(Interruption) -> WalkAnswer {
        do throws(Interruption) {
            return try enforced(&request)
        } catch {
            return .forward(try observed(error, &request))
        }
    }

    private mutating func enforced(_ request: inout AuthorizationRequest) throws(Interruption) -> WalkAnswer {
        if !request.wasRead { try read(&request) }
        let rule: RuleInForce
        switch try subject(of: request) {
        case .answered(let answer): return answer
        case .anonymous(let rule): return .forward(try forward(&request, rule, for: .nobody))
        case .token(let found): rule = found
        }
        let place = rule.compiled.tokenPlace(of: request.head)
        if case .subprotocol(let name) = place { request.head.decodeOfferedToken(behind: name) }
        let field = try credentialsField(at: place, of: request.head, rule)
        let memory = try recall(tokenIn: field, at: place, &request, rule)
        if case .permission(_, let identityPlace) = memory, let permitted = permitted(&request, rule, identityPlace) {
            try charge(rule, for: .known(identityPlace), &request)
            return .forward(permitted)
        }
        let token = try token(in: credentials(in: field, at: place, of: request.head, rule), request, rule, memory)
        if authorizer.denials != nil { try judgeDenials(of: token, rule) }
        try decide(token, request, rule)
        return .forward(try forward(&request, rule, for: .token(token)))
    }

    // MARK: Place and rule

    /// Result of the steps before the credentials: an answer, or the rule, and whether a token is checked.
    private enum Subject {
        /// Answered before any rule applies: a document or a preflight.
        case answered(WalkAnswer)
        /// A rule under which no token is checked.
        case anonymous(RuleInForce)
        case token(RuleInForce)
    }

    // One call with the request, because the compiler copies it for each.
    private mutating func subject(of request: borrowing AuthorizationRequest) throws(Interruption) -> Subject {
        if let document = authorizer.document(at: request), let published = publish(document, to: request) {
            return .answered(published)
        }
        let found = try place(of: request)
        if let answer = preflight(request, at: found) { return .answered(.preflight(answer)) }
        let rule = try rule(for: request, at: found)
        try judgePassedAuthorization(of: request.head, rule.compiled)
        return isAnonymous(request.head, rule) ? .anonymous(rule) : .token(rule)
    }

    /// The answer to a client that reads a metadata document, or to a preflight about one. Nil for any other request.
    private mutating func publish(_ document: PublishedDocument, to request: borrowing AuthorizationRequest)
        -> WalkAnswer?
    {
        if request.isRead { return .publish(document) }
        guard request.head.isPreflight else { return nil }
        facts.stage = .crossOrigin
        noteUngranted(by: .ofDocument, to: request.head)
        return .preflight(.ofDocument)
    }

    private mutating func read(_ request: inout AuthorizationRequest) throws(Interruption) {
        request.lookedUp = nil
        do {
            let path = request.head.bytes.span.extracting(request.head.target.path)
            try request.path.canonicalize(path, encodedSlashes: authorizer.encodedSlashes)
        } catch {
            noteSoleResource(of: request)
            throw badPath(error.hint)
        }
    }

    /// Finds the resource whose CORS policy applies to the rejection of an invalid path, if the host has only one
    /// resource.
    private mutating func noteSoleResource(of request: borrowing AuthorizationRequest) {
        guard let index = authorizer.soleResources.resource(of: request), let compiled = authorizer.compiled[index],
            !compiled.resource.isForDoorsAlone || request.isAtDoor, let terms = compiled.crossOrigin
        else { return }
        facts.resource = index
        try? judgeOrigin(of: request, terms)
        facts.stage = .path
    }

    private mutating func place(of request: borrowing AuthorizationRequest) throws(Interruption) -> RequestLocation {
        facts.stage = .place
        let (segments, index, compiled) = try resource(of: request)
        try judgeEntrance(of: request, compiled)
        facts.resource = index
        if let terms = compiled.crossOrigin { try judgeOrigin(of: request, terms) }
        if let policy = compiled.resource.webSockets { try judgeOpener(of: request, policy) }
        guard !request.path.hasParameters || compiled.resource.keepsPathParameters else {
            throw badPath(PathRejection.parametersHint)
        }
        let readings = try otherReadings(of: request, below: segments, compiled)
        return RequestLocation(segments: segments, compiled: compiled, readings: readings)
    }

    private mutating func resource(
        of request: borrowing AuthorizationRequest
    ) throws(Interruption) -> (segments: Int, index: ResourceIndex, compiled: CompiledResource) {
        if let route, let compiled = authorizer.compiled[route.resource] {
            return (route.segments, route.resource, compiled)
        }
        if let (place, index, compiled) = authorizer.place(of: request) { return (place.segments, index, compiled) }
        guard !request.path.hasParameters else { throw badPath(PathRejection.parametersHint) }
        guard !request.path.hasDoubleEncoding else { throw badPath(request.path.encodingHint) }
        guard !request.path.hasEncodedSlashes else { throw badPath(Self.noPlace) }
        facts.hint = authorizer.placeHints.hint(for: request)
        throw .reject(Rejection(.routing(.noResource)))
    }

    private mutating func rule(
        for request: borrowing AuthorizationRequest, at found: RequestLocation
    ) throws(Interruption) -> RuleInForce {
        facts.stage = .rule
        try judgeReadings(of: request, at: found)
        let compiled = found.compiled
        guard let match = route?.match ?? compiled.match(request, below: found.segments),
            let policy = compiled.resource.policies[match.ruleIndex]
        else {
            try judgeMaintenance(of: compiled, nil)
            throw .reject(Rejection(.routing(.noRule)))
        }
        facts.match = match
        try judgeMaintenance(of: compiled, match.ruleIndex)
        return RuleInForce(compiled: compiled, match: match, policy: policy)
    }

    // MARK: Credentials

    /// True if no token is checked. If the token is optional, anything that looks like credentials is checked: a client
    /// with invalid credentials must not be treated as anonymous.
    private func isAnonymous(_ head: borrowing RequestHead, _ rule: RuleInForce) -> Bool {
        switch rule.policy {
        case .public: return true
        case .token: return false
        case .optionalToken:
            return (rule.resource.passesAuthorization || !head.contains(.authorization))
                && !rule.compiled.tokenPlace(of: head).isUsed(in: head)
                && !Self.hasTokenInQuery(head)
        }
    }

    /// Range of the field value that contains the token; there must be exactly one, in one field and nowhere else (RFC
    /// 6750 §2).
    private mutating func credentialsField(
        at place: TokenPlace, of head: borrowing RequestHead, _ rule: RuleInForce
    ) throws(Interruption) -> Range<Int> {
        facts.stage = .credentials
        guard place.isUsed(in: head) else {
            facts.hint = Self.tokenElsewhere(head, rule.resource)
            throw rule.rejection(.credentials(.missing))
        }
        guard place.isSingle(in: head), !Self.hasTokenInQuery(head) else {
            throw rule.rejection(.credentials(.multiple))
        }
        guard rule.resource.otherTokenPlaces.isEmpty || !rule.compiled.hasToken(in: head, besides: place) else {
            throw rule.rejection(.credentials(.multiple))
        }
        if case .subprotocol = place { try judgeOffer(of: head, rule) }
        guard let field = place.value(in: head) else { throw rule.rejection(.credentials(.malformed)) }
        return field
    }

    /// Checks a token among the subprotocols: it is permitted only in a WebSocket handshake, and only if the request
    /// has no other token.
    private mutating func judgeOffer(of head: borrowing RequestHead, _ rule: RuleInForce) throws(Interruption) {
        guard rule.resource.passesAuthorization || !head.contains(.authorization),
            !rule.resource.tokenPlace.isUsed(in: head)
        else {
            throw rule.rejection(.credentials(.multiple))
        }
        guard head.webSocketKey != nil else {
            facts.hint = Self.noHandshake
            throw rule.rejection(.credentials(.malformed))
        }
    }

    /// Range of the token in the head.
    private func credentials(
        in field: Range<Int>, at place: TokenPlace, of head: borrowing RequestHead, _ rule: RuleInForce
    ) throws(Interruption) -> Range<Int> {
        switch place.credentials(in: head.bytes.span.extracting(field)) {
        case .absent: throw rule.rejection(.credentials(.missing))
        case .malformed: throw rule.rejection(.credentials(.malformed))
        case .token(let range): return field.lowerBound &+ range.lowerBound..<field.lowerBound &+ range.upperBound
        }
    }

    private static func hasTokenInQuery(_ head: borrowing RequestHead) -> Bool {
        guard let query = head.target.query else { return false }
        return QueryCredentials.arePresent(in: head.bytes.span.extracting(query))
    }

    /// Hint about a token in a location that this resource does not use. Nil if there is none either.
    private static func tokenElsewhere(_ head: borrowing RequestHead, _ resource: ProtectedResource) -> String? {
        if head.contains(.authorization) {
            let names = resource.tokenPlaces.map { "`\($0.fieldName)`" }.joined(separator: " or ")
            let rest = resource.passesAuthorization ? "is passed to the upstream" : "is not looked at"
            return "This resource takes the token from the field \(names); `Authorization` \(rest)."
        }
        return TokenPlace.subprotocol(.bearer).isUsed(in: head) ? noTokenProtocol : nil
    }

    private static let noTokenProtocol =
        "The request offers a token as a subprotocol. It is read only where the resource says `websocket: {token: subprotocol}`, "
        + "behind the name there."

    private static let noHandshake =
        "A token as a subprotocol is read in the handshake of a WebSocket alone, which this request is not."
}

extension RequestHead {
    /// Decodes a token that is base64url-encoded among the subprotocols, and appends it to the head's bytes. Invalid
    /// base64url is not a token.
    fileprivate mutating func decodeOfferedToken(behind name: TokenProtocol) {
        guard case .encodedToken(let range) = section.tokenOffer(behind: name),
            let token = Base64URL.decode(bytes.span.extracting(range)), !token.isEmpty
        else { return }
        keepDecodedToken(token)
    }
}
