/// A judge of requests written only from `docs/policy.md`: it shares no code with the gateway, and follows the page
/// literally.
///
/// Every permitted reason is returned where the page leaves the reason open.
public struct PolicyJudge: Sendable {
    public let policy: Policy
    /// Time in seconds since 1970.
    public let now: Int

    public init(_ policy: Policy, at now: Int) {
        self.policy = policy
        self.now = now
    }

    /// Methods registered with IANA, as far as requests use them.
    private static let registeredMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    /// Every answer that the documents permit: one, unless they leave open which of several reasons is given.
    public func answers(to request: Request) -> Set<Answer> {
        guard !["CONNECT", "TRACE"].contains(request.method) else { return refusal([.methodNotAllowed], nil) }
        let isMiscased =
            !Self.registeredMethods.contains(request.method)
            && Self.registeredMethods.contains(request.method.uppercased())
        guard !isMiscased, let path = RequestPath(request.path) else { return refusal([.badRequest], nil) }
        let finder = RuleFinder(policy: policy)
        guard let found = finder.winner(request.host, path) else {
            let isOdd = path.hasParameters || path.hasEncodedSlash || path.hasEncodedEscape
            return refusal(isOdd ? [.noResource, .badRequest] : [.noResource], nil)
        }
        guard !path.hasParameters || found.resource.keepsPathParameters else { return refusal([.badRequest], nil) }
        switch found.resource.encodedSlashes {
        case .keep where path.hasEncodedSlash && !path.hasEncodedEscape:
            return answers(to: request, kept: path, at: found.place, of: found.resource)
        case .refuse where path.hasEncodedSlash, .refuse where path.hasEncodedEscape,
            .keep where path.hasEncodedEscape, .opaque where path.isUnsafeDecoded:
            return refusal([.badRequest], nil)
        case .refuse, .keep, .opaque:
            let match = finder.match(request.method, path, below: found.place, of: found.resource)
            return answers(to: request, under: match, of: found.resource)
        }
    }

    /// Answers to a path with kept encoded slashes: all of its readings must be at one place and under one requirement.
    private func answers(to request: Request, kept path: RequestPath, at place: Place, of resource: Resource)
        -> Set<Answer>
    {
        let bad = refusal([.badRequest], nil)
        let finder = RuleFinder(policy: policy)
        guard let readings = path.readings,
            readings.allSatisfy({ finder.winner(request.host, $0)?.place == place })
        else { return bad }
        let all = readings.map { finder.match(request.method, $0, below: place, of: resource) }
        let matches = all.compactMap { $0 }
        // The page does not define the answer for a path without a rule in any reading.
        guard let first = matches.first else { return bad.union(answers(to: request, under: nil, of: resource)) }
        let requirement = asked(by: first)
        guard matches.count == readings.count,
            matches.allSatisfy({ asked(by: $0) == requirement })
        else { return bad }
        let answers = matches.map { self.answers(to: request, under: $0, of: resource) }
        // The page also leaves open whether one requirement in two spellings, or in two modes, is the same. So it does
        // for two times of maintenance.
        let isOneRule = matches.allSatisfy {
            $0.rule.access == first.rule.access && $0.rule.mode == first.rule.mode
                && $0.rule.maintenance == first.rule.maintenance
        }
        return isOneRule ? answers[0] : answers.reduce(bad) { $0.union($1) }
    }

    /// Demands of a rule, independent of its spelling: whether requests without a token pass, all parts, and the
    /// organizations named in the path.
    private func asked(by match: RuleFinder.Match) -> [Set<Part>?] {
        guard let requirement = match.rule.access.requirement else { return [nil] }
        let parts = requirement.parts(policy.policies).flatMap { $0.naming(match.parameters).elements }
        if case .optional = match.rule.access { return [Set(parts), []] }
        return [Set(parts)]
    }

    private func answers(to request: Request, under match: RuleFinder.Match?, of resource: Resource) -> Set<Answer> {
        let maintenance = [resource.maintenance, match?.rule.maintenance]
        // It is suspended in no mode.
        guard !maintenance.contains(where: { $0?.isOngoing(at: now) == true }) else {
            return refusal([.maintenance], nil)
        }
        guard let match else { return refusal([.noRule], resource.mode) }
        // It is suspended in no mode.
        guard !isPassingRefused(request, resource) else { return refusal([.multipleCredentials], nil) }
        guard let requirement = match.rule.access.requirement else { return [.forwarded(issuer: nil)] }
        let sent = SentCredentials(request, resource)
        if case .optional = match.rule.access, sent.areAbsent { return [.forwarded(issuer: nil)] }
        let mode = match.rule.mode ?? resource.mode
        do throws(Fault) {
            let token = try sent.token
            let issuer = try TokenJudge(token: token, resource: resource, issuers: policy.issuers, now: now).verified()
            let parts =
                requirement.parts(policy.policies) + (resource.require?.parts(policy.policies) ?? [])
                + added(by: issuer, at: resource)
            let unmet = RequirementJudge(
                claims: token.claims, issuer: issuer, implied: resource.scopes,
                // A segment with an encoded slash or escape names no organization.
                parameters: match.parameters.filter { !RequestPath.isOpaque($0.value) }, now: now
            ).reasons(parts)
            guard unmet.isEmpty else { throw Fault(unmet) }
            guard case .text(let identifier)? = token.claims["iss"] else { return [] }
            return [.forwarded(issuer: identifier)]
        } catch {
            return refusal(error.reasons, mode)
        }
    }

    /// True if the upstream would get an `Authorization` with a token of an issuer of the file, or two of them.
    private func isPassingRefused(_ request: Request, _ resource: Resource) -> Bool {
        guard resource.passesAuthorization else { return false }
        switch request.credentials {
        case .twice: return true
        case .token(let token): return policy.issuers.contains { $0.accepts(token.claims["iss"]) }
        case .none, .empty, .otherScheme, .malformed, .text: return false
        }
    }

    /// Parts that the token's issuer adds to each rule. At a resource with other issuers they are judged together.
    private func added(by issuer: Issuer, at resource: Resource) -> [Part] {
        let parts = issuer.require.filter { !$0.isAboutClaims }
        return resource.issuers.count > 1 && !parts.isEmpty ? [.anyOf([.mapping(parts)])] : parts
    }

    private func refusal(_ reasons: Set<Reason>, _ mode: Mode?) -> Set<Answer> {
        Set(reasons.map { $0.answer(isObserving: mode?.isObserving(at: now) == true) })
    }
}

/// Reasons for which a request or its token may be refused; one of them is given.
struct Fault: Error {
    let reasons: Set<Reason>

    init(_ reasons: Set<Reason>) { self.reasons = reasons }
}
