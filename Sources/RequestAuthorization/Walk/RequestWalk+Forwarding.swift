import AccessControl
import Callers
import HTTPMessages
import KnownTokens
import TokenVerification

/// The parts of a permitted request that are forwarded.
extension RequestWalk {
    mutating func forward(
        _ request: inout AuthorizationRequest, _ rule: RuleInForce, for caller: Caller
    ) throws(Interruption) -> Forwarding {
        let forwarding = try forwarding(of: &request, rule, for: caller)
        try charge(rule, for: caller, &request)
        return forwarding
    }

    mutating func forwarding(
        of request: inout AuthorizationRequest, _ rule: RuleInForce, for caller: Caller
    ) throws(Interruption) -> Forwarding {
        facts.stage = .forwarding
        let target = try upstream(of: request, rule.resource, below: rule.match.firstSegment)
        request.identityFields.removeAll(keepingCapacity: true)
        try appendIdentity(of: caller, to: &request, rule)
        if rule.resource.statesClientCertificate { try appendCertificate(to: &request, rule, for: caller) }
        let (pathStart, strippedPrefix) = stripped(request, rule.compiled, below: rule.match.firstSegment)
        let keepsToken = rule.resource.keepsAuthorization && caller.isAuthenticated
        return Forwarding(
            upstream: target?.upstream,
            pathStart: pathStart,
            strippedPrefix: strippedPrefix,
            keepsAuthorization: keepsToken && isInAuthorization(request.head, rule)
                || passesAuthorization(of: request.head, rule.compiled),
            tokenField: keepsToken ? tokenField(of: request.head, rule) : nil,
            identityFields: request.identityFields,
            spread: target.flatMap { spread($0.route, for: caller, request, rule) }
        )
    }

    /// True if the token came in `Authorization`, or among the subprotocols of a resource that usually reads it there.
    private func isInAuthorization(_ head: borrowing RequestHead, _ rule: RuleInForce) -> Bool {
        guard !rule.resource.otherTokenPlaces.isEmpty else { return rule.resource.tokenPlace == .authorization }
        return rule.compiled.tokenPlace(of: head) == .authorization
    }

    /// True if the request has an `Authorization` of its own that goes to the upstream.
    private func passesAuthorization(of head: borrowing RequestHead, _ compiled: CompiledResource) -> Bool {
        compiled.resource.passesAuthorization && head.contains(.authorization)
    }

    /// Offset of the forwarded path, and the stripped prefix as the upstream gets it.
    func stripped(
        _ request: borrowing AuthorizationRequest, _ compiled: CompiledResource, below segments: Int
    ) -> (pathStart: Int, prefix: [UInt8]?) {
        guard compiled.resource.stripsPrefix else { return (0, nil) }
        return (request.path.suffixStart(afterSegments: segments), authorizer.strippedPrefix(of: request))
    }

    /// Field line with the token, if the client sent it elsewhere than in `Authorization`. Nil if it was in
    /// `Authorization`, or cannot be found.
    private func tokenField(of head: borrowing RequestHead, _ rule: RuleInForce) -> [UInt8]? {
        let place = rule.compiled.tokenPlace(of: head)
        guard let value = place.value(in: head) else { return nil }
        switch place {
        case .authorization: return nil
        case .field(let field): return field.name.spelling + Array(": ".utf8) + head.bytes[value] + Array("\r\n".utf8)
        // No upstream gets the token as a subprotocol.
        case .subprotocol: return Array((rule.resource.tokenPlace.line(head.string(value)) + "\r\n").utf8)
        }
    }

    private func spread(
        _ route: RuleIndex, for caller: Caller, _ request: borrowing AuthorizationRequest, _ rule: RuleInForce
    ) -> UInt64? {
        guard let question = rule.compiled.spreads[route] ?? nil else { return nil }
        let answer = answer(question, of: caller, request)
        return answer.isNone ? nil : answer.low
    }

    /// Appends the fields that state the caller's identity to the upstream, from the token or its cache record.
    private func appendIdentity(of caller: Caller, to request: inout AuthorizationRequest, _ rule: RuleInForce)
        throws(Interruption)
    {
        switch caller {
        case .nobody, .known(nil): break
        case .token(let token):
            for field in rule.resource.identityFields where !field.append(for: token, to: &request.identityFields) {
                throw rule.rejection(.policy(.identityTooLarge))
            }
        case .known(let place?):
            guard let lines = request.record.identityLines(place) else {
                throw rule.rejection(.policy(.identityTooLarge))
            }
            request.identityFields.append(contentsOf: lines)
        }
    }

    /// Appends the field that states the client's certificate (RFC 9440). Appends none for a client without a
    /// certificate.
    private func appendCertificate(
        to request: inout AuthorizationRequest, _ rule: RuleInForce, for caller: Caller
    ) throws(Interruption) {
        guard let certificate = request.clientCertificate else { return }
        guard certificate.fieldValue.count <= rule.resource.longestIdentity else {
            // A token would change nothing where no token is checked, so there is no challenge.
            guard caller.isAuthenticated else { throw .reject(Rejection(.policy(.identityTooLarge))) }
            throw rule.rejection(.policy(.identityTooLarge))
        }
        request.identityFields.append(contentsOf: FieldName.clientCertificate.spelling)
        request.identityFields.append(contentsOf: ": ".utf8)
        request.identityFields.append(contentsOf: certificate.fieldValue)
        request.identityFields.append(contentsOf: "\r\n".utf8)
    }
}

/// The caller of a permitted request, as far as its forwarding needs it.
enum Caller {
    case nobody
    case token(VerifiedToken)
    /// The caller of a cached token: index of this resource's identity lines in the request's record. Nil if the
    /// resource forwards no identity.
    case known(Int?)

    var isAuthenticated: Bool {
        if case .nobody = self { false } else { true }
    }
}
