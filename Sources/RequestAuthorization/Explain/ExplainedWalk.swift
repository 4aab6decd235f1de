import AccessControl
import HTTPMessages
import JOSE
import StrictJSON
import TokenVerification

/// Text of one walk of a request through the checks. All stages before the last one passed; the last one passed or
/// failed.
struct ExplainedWalk {
    let authorizer: RequestAuthorizer
    let request: AuthorizationRequest
    let facts: AuthorizationFacts
    let failed: RejectionReason?
    /// The methods that a granted preflight permits, separated by commas. Nil for a refused preflight and for any other
    /// request.
    private let grantedMethods: String?
    /// Location of the request's token.
    let place: TokenPlace
    let token: UnverifiedToken?
    let detail: RefusalDetail
    /// True if the token's signature was not checked.
    let isSignatureAssumed: Bool

    init(
        _ authorizer: RequestAuthorizer, _ request: AuthorizationRequest, _ facts: AuthorizationFacts,
        preflight: PreflightAnswer
    ) {
        let isGranted = preflight.verdict == .granted
        self.init(
            authorizer, request, facts, failed: isGranted ? nil : .preflight(preflight.verdict),
            grantedMethods: isGranted ? String(decoding: preflight.methods, as: UTF8.self) : nil)
    }

    init(
        _ authorizer: RequestAuthorizer, _ request: AuthorizationRequest, _ facts: AuthorizationFacts,
        failed: RejectionReason?,
        grantedMethods: String? = nil, isSignatureAssumed: Bool = false
    ) {
        self.isSignatureAssumed = isSignatureAssumed
        self.grantedMethods = grantedMethods
        self.authorizer = authorizer
        self.request = request
        self.facts = facts
        self.failed = failed
        place = authorizer.tokenPlace(of: request.head, facts)
        let padding = facts.resource.flatMap { authorizer.compiled[$0] }?.padding ?? .refused
        token = request.head.token(at: place).flatMap {
            try? UnverifiedToken(request.head.bytes.span.extracting($0), padding: padding)
        }
        let isGranted = grantedMethods != nil
        detail = RefusalDetail(authorizer, request, facts, reason: isGranted ? .preflight(.granted) : failed)
    }

    var steps: [Explanation.Step] {
        let resource = facts.resource.flatMap { authorizer.resources[$0] }
        let policy = facts.rule.flatMap { resource?.policies[$0] }
        return [
            step(.path, "path", path, failure: pathFailure),
            step(.place, "place", resource?.identifier ?? "", failure: placeFailure),
        ] + crossOriginSteps + openerSteps + [
            step(
                .rule, "rule", authorizer.ruleName(facts) ?? (facts.stage == .maintenance ? "none" : ""),
                failure: ruleFailure(resource))
        ] + maintenanceSteps(resource) + credentialSteps(resource, policy) + [
            step(
                .forwarding, "forward", "to the upstream" + passedText(resource) + boundsText(resource),
                failure: "an identity value is too long to be forwarded")
        ] + quotaSteps + responseSteps(resource)
    }

    /// Note that a request is forwarded although it would be refused, because its rule is only observed.
    var observedSteps: [Explanation.Step] {
        guard facts.would != nil, let resource = facts.resource.flatMap({ authorizer.resources[$0] }),
            case .observe(until: let end) = resource.mode(of: facts.rule)
        else { return [] }
        let whose = facts.rule == nil ? "requests without a rule are" : "the rule is"
        let told = "\(whose) only observed until \(end): forwarded without the token and without an identity"
        return [Explanation.Step("mode", .passed, told)]
    }

    // MARK: Stages

    /// CORS step. Empty for a request without an origin, and for a resource without `cors`.
    private var crossOriginSteps: [Explanation.Step] {
        guard let verdict = facts.origin, request.head.contains(.origin) else { return [] }
        let origins = request.head.fields(named: .origin).map { request.head.string($0.value) }.joined(separator: ", ")
        let pages = "pages of \(origins)"
        let narrow = self.detail.text.map { "; \($0)" } ?? ""
        let granted = grantedMethods.map { "\(pages) may send \($0) here\(narrow)" }
        let isAllowed = if case .allowed = verdict { true } else { false }
        let detail = isAllowed ? "\(pages) may read the answer" : "\(pages) cannot read the answer"
        // A WebSocket that the page may not open is reported by the step `websocket`.
        guard failed != .routing(.originRefused) else { return [Explanation.Step("cors", .passed, detail)] }
        return [step(.crossOrigin, "cors", granted ?? detail, failure: facts.hint ?? detail)]
    }

    /// Step for a WebSocket that a page opens. Empty for any other request, and for a resource that does not check
    /// origins there.
    private var openerSteps: [Explanation.Step] {
        guard let policy = facts.resource.flatMap({ authorizer.resources[$0] })?.webSockets,
            request.opensJudgedWebSocket(policy),
            let origin = request.head.only(.origin)
        else { return [] }
        let pages = "pages of \(request.head.string(origin.value))"
        if failed == .routing(.originRefused) {
            return [Explanation.Step("websocket", .failed, detail.text ?? "\(pages) may not open one")]
        }
        return facts.stage > .crossOrigin ? [Explanation.Step("websocket", .passed, "\(pages) may open one")] : []
    }

    /// Maintenance step. Empty if neither the resource nor the rule has a maintenance.
    private func maintenanceSteps(_ resource: ProtectedResource?) -> [Explanation.Step] {
        guard let all = resource?.maintenance(of: facts.rule), !all.isEmpty else { return [] }
        let end = all.compactMap(\.until).max().map { "over since \($0)" }
        return [step(.maintenance, "maintenance", end ?? "", failure: "ongoing")]
    }

    private static let noToken = Explanation.Step("credentials", .passed, "public: no token needed, none checked")

    private static let anonymous = Explanation.Step(
        "credentials", .passed, "none, and the rule needs none: forwarded without an identity")

    private func credentialSteps(_ resource: ProtectedResource?, _ policy: AccessPolicy?) -> [Explanation.Step] {
        if isRefusedPassing { return [step(.credentials, "credentials", "", failure: credentialsFailure)] }
        if policy == .public { return [Self.noToken] }
        // Past the policy stage without authentication: an anonymous caller.
        guard policy?.permitsAnonymous == true, facts.stage > .policy, !facts.isAuthenticated, facts.would == nil
        else { return tokenSteps(resource, policy) }
        return [Self.anonymous]
    }

    private func tokenSteps(_ resource: ProtectedResource?, _ policy: AccessPolicy?) -> [Explanation.Step] {
        [
            step(
                .credentials, "credentials",
                "one bearer token" + (place == .authorization ? "" : ", in \(place.fieldName)"),
                failure: credentialsFailure)
        ]
            + TokenCheck.allCases.filter(isTold).map { step($0, resource) } + denialSteps
            + policySteps(resource, policy)
    }

    /// Deny list steps. Empty without a deny list.
    private var denialSteps: [Explanation.Step] {
        guard let list = authorizer.denyList else { return [] }
        let judged = step(.denials, "deny list", "no entry names the token", failure: denialFailure)
        guard judged.verdict == .passed, let reason = list.unknownAdditions else { return [judged] }
        let unknown =
            "what was added while running is not known here (\(reason)): `bearward deny --list`"
        return (list.isInUse ? [judged] : []) + [Explanation.Step(judged.name, .notReached, unknown)]
    }

    private var denialFailure: String {
        guard let token = facts.token else { return "an entry names the token" }
        switch authorizer.denial(of: token, at: facts.time) {
        case .by(let attribute): return "an entry of \(token.issuer.name) names its \(attribute.rawValue)"
        case .none, .unknown: return "the deny list could not be evaluated"
        }
    }

    /// True if this check applies to tokens of this form and issuer; the check that failed is always shown.
    private func isTold(_ check: TokenCheck) -> Bool {
        if failed != nil, facts.stage == .token(check) { return true }
        switch check {
        // Checks that only signed tokens have; the next case is for opaque tokens only.
        case .issuer, .header, .key, .signature, .kind: return !facts.isOpaque
        case .introspection: return facts.isOpaque
        case .origin: return !facts.isOpaque && (issuer.map { $0.directory != nil || $0.keyBinding != .none } ?? false)
        case .client: return issuer.map { $0.clients != nil && $0.signerRule == nil } ?? false
        case .claims: return issuer.map { !$0.claimChecks.isEmpty } ?? false
        case .form, .times, .audience, .subject, .binding: return true
        }
    }

    /// Claims of the introspection response, otherwise those of the token. Nil if there is neither a response nor a
    /// readable token.
    var claims: ClaimsSet? { facts.introspected ?? token?.claims }

    /// Rules of the token's issuer. Nil if the issuer is not known.
    var issuer: TrustedIssuer? { authorizer.rules(of: facts.issuer) }

    private func policySteps(_ resource: ProtectedResource?, _ policy: AccessPolicy?) -> [Explanation.Step] {
        guard let requirements = policy?.requirements else { return [] }
        guard let verified = facts.token, facts.stage >= .policy else {
            return requirements.map { Explanation.Step($0.name, .notReached, needs($0)) }
        }
        let hasFailed = facts.stage == .policy
        let steps = requirements.enumerated().map { index, requirement in
            // Without a missed requirement, the token's organization did not fit the rule, and no requirement was
            // reached.
            guard !hasFailed || index <= facts.missed ?? -1 else {
                return Explanation.Step(requirement.name, .notReached, needs(requirement))
            }
            let told =
                needs(requirement) + requirement.held(by: verified)
                + alternatives(of: requirement, verified, resource)
            let isMissed = hasFailed && index == facts.missed
            return Explanation.Step(
                requirement.name, isMissed ? .failed : .passed,
                isMissed && !requirement.hasAlternatives ? detail.text ?? told : told)
        }
        guard hasFailed, facts.missed == nil else { return steps }
        let rule =
            policy?.mentionsOrganization == true
            ? "no requirement that it meets names an organization" : "the rule asks for none"
        let organization = "the token is for \(verified.organization ?? "one"), and \(rule)"
        return [Explanation.Step("organization", .failed, organization)] + steps
    }

    /// Text of a requirement. Scopes have the names used in tokens and, if different, those that clients request.
    private func needs(_ requirement: Requirement) -> String {
        let names = facts.resource.flatMap { authorizer.compiled[$0] }?.scopeNames
        return requirement.detail
            + (names?.note(on: requirement.scopes, issuer: facts.isAuthenticated ? facts.issuer : nil) ?? "")
    }

    /// Text about alternatives: those that the token meets, and what the others lack.
    private func alternatives(of requirement: Requirement, _ token: VerifiedToken, _ resource: ProtectedResource?)
        -> String
    {
        guard case .anyOf(let alternatives) = requirement, let resource, let match = facts.match else { return "" }
        let context = RequirementContext(
            token: token, pathParameters: resource.pathParameters(of: request, in: match), now: facts.time)
        let told = alternatives.enumerated().map { number, parts in
            guard let missed = parts.first(where: { !$0.isMet(in: context) }) else { return "\(number + 1) holds" }
            return "\(number + 1) lacks \(missed.name): \(needs(missed))" + missed.held(by: token)
        }
        return "; " + told.joined(separator: "; ")
    }

    /// Text about the client's own `Authorization`. Empty if the request has none, or none is passed.
    private func passedText(_ resource: ProtectedResource?) -> String {
        guard resource?.passesAuthorization == true, request.head.contains(.authorization), facts.would == nil else {
            return ""
        }
        return ", with the client's own `Authorization`, which is not judged"
    }

    /// Text about the bounds that the resource or the rule sets. Empty if it sets none, and at a door, where the proxy
    /// forwards the request.
    private func boundsText(_ resource: ProtectedResource?) -> String {
        guard let resource, !request.isAtDoor else { return "" }
        let bounds = resource.bounds(of: facts.rule)
        let texts = [
            bounds.body.map { "a body of at most \($0) bytes" },
            bounds.firstByte.map { "the head of the response within \($0)" },
        ]
        return texts.compactMap(\.self).map { ", \($0)" }.joined()
    }

    /// Quotas that the request would be charged to.
    private var quotaSteps: [Explanation.Step] {
        let quotas = facts.resource.flatMap { resource in
            facts.rule.flatMap { authorizer.compiled[resource]?.quotas[$0] ?? nil }
        }
        return (quotas?.all ?? []).map {
            step(.quotas, "quota", $0.quota.text + "; nothing is charged here", failure: $0.quota.text)
        }
    }

    /// Response headers that are set and removed. Empty if there are none, and at a door, where the proxy answers.
    private func responseSteps(_ resource: ProtectedResource?) -> [Explanation.Step] {
        guard let edits = resource?.responseEdits(of: facts.rule), !request.isAtDoor else { return [] }
        // The gateway's own answer has no headers to remove, and not all that are set.
        let names = ResponseFieldName.allCases.filter { isForwarded || $0.isForOwnAnswers }
        let texts = [
            ("sets", names.filter { edits.set[$0] != nil }),
            ("removes", isForwarded ? names.filter { edits.removed.contains($0) } : []),
        ]
        let told = texts.filter { !$1.isEmpty }.map { "\($0) \($1.map(\.text).joined(separator: ", "))" }
        return told.isEmpty ? [] : [Explanation.Step("response", .passed, told.joined(separator: "; "))]
    }

    /// True if the upstream answers the request.
    private var isForwarded: Bool { grantedMethods == nil && (failed == nil || facts.would != nil) }

    func step(
        _ stage: WalkStage, _ name: String, _ detail: @autoclosure () -> String, failure: @autoclosure () -> String
    )
        -> Explanation.Step
    {
        if stage > facts.stage { return Explanation.Step(name, .notReached, "") }
        let isFailure = stage == facts.stage && failed != nil
        return Explanation.Step(
            name, isFailure ? .failed : .passed, isFailure ? self.detail.text ?? failure() : detail())
    }
}
