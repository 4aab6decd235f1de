import AccessControl
import HTTPMessages
import JOSE
import StrictJSON
import TokenVerification
import TypedIndices

/// The telling of one walk: every stage before the last one passed, and that one passed or failed.
struct Walk {
    let authorizer: RequestAuthorizer
    let request: AuthorizationRequest
    let facts: AuthorizationFacts
    let now: NumericDate
    let failed: RejectionReason?
    let token: UnverifiedToken?

    init(
        _ authorizer: RequestAuthorizer, _ request: AuthorizationRequest, _ facts: AuthorizationFacts, _ now: NumericDate,
        failed: RejectionReason?
    ) {
        self.authorizer = authorizer
        self.request = request
        self.facts = facts
        self.now = now
        self.failed = failed
        token = Self.token(in: request.head)
    }

    var steps: [Explanation.Step] {
        let resource = facts.resource.flatMap { authorizer.resources[$0] }
        let policy = facts.rule.flatMap { resource?.policies[$0] }
        return WalkStage.allCases.flatMap { stage -> [Explanation.Step] in
            switch stage {
            case .path: [step(stage, "path", request.head.string(request.head.target.path), failure: pathFailure)]
            case .place: [step(stage, "place", resource?.identifier ?? "", failure: placeFailure)]
            case .rule: [step(stage, "rule", authorizer.ruleName(facts) ?? "", failure: ruleFailure(resource))]
            case .credentials, .form, .introspection, .issuer, .header, .key, .signature, .claims, .policy:
                policy == .public ? publicStep(stage) : tokenSteps(stage, resource, policy)
            case .forwarding: [step(stage, "forward", "to the upstream", failure: "an identity value is too long to be sent on")]
            }
        }
    }

    // MARK: Stages

    private func publicStep(_ stage: WalkStage) -> [Explanation.Step] {
        stage == .credentials ? [Explanation.Step("credentials", .passed, "public: no token needed, none looked at")] : []
    }

    private func tokenSteps(_ stage: WalkStage, _ resource: ProtectedResource?, _ policy: AccessPolicy?) -> [Explanation.Step] {
        // What only a signed token has.
        if facts.isOpaque, (WalkStage.issuer ... .signature).contains(stage) { return [] }
        switch stage {
        case .credentials: return [step(stage, "credentials", "one bearer token", failure: credentialsFailure)]
        case .form: return [step(stage, "form", facts.isOpaque ? "an opaque token (no compact JWS)" : form, failure: formFailure)]
        case .introspection:
            guard facts.isOpaque else { return [] }
            return [step(stage, "introspection", "\(facts.issuer ?? "") says it is active", failure: introspectionFailure)]
        case .issuer: return [step(stage, "issuer", issuerName, failure: issuerFailure(resource))]
        case .header: return [step(stage, "header", header, failure: headerFailure)]
        case .key: return [step(stage, "key", keyName, failure: keyFailure)]
        case .signature:
            return signatureSteps
        case .claims: return claimSteps(resource)
        case .policy: return policySteps(resource, policy)
        case .path, .place, .rule, .forwarding: return []
        }
    }

    /// The signature, and what a good one proves: whose token it is.
    private var signatureSteps: [Explanation.Step] {
        let isGood = facts.stage > .signature || failed.map(Self.originReasons.contains) ?? true
        guard facts.stage >= .signature, isGood else {
            let signature = step(.signature, "signature", "", failure: "not made by that key over these bytes")
            return [signature] + (hasOriginRules ? [Explanation.Step("origin", .notReached, "")] : [])
        }
        let signature = Explanation.Step("signature", .passed, "made by that key over exactly these bytes")
        let origin = step(.signature, "origin", "the key may vouch for this issuer and tenant", failure: originFailure)
        return [signature] + (hasOriginRules ? [origin] : [])
    }

    /// What the token says, or what its issuer said of it.
    var claims: ClaimsSet? { facts.introspected ?? token?.claims }

    /// The rules of the token's issuer, once it is known.
    var issuer: TrustedIssuer? {
        authorizer.issuers.first { $0.verifier.issuer.name == facts.issuer }?.verifier.issuer
    }

    private var hasOriginRules: Bool {
        issuer.map { $0.directory != nil || $0.keyBinding != .none } ?? false
    }

    private static let originReasons: Set<RejectionReason> = [.tenantMismatch, .tenantNotAllowed, .keyIssuerMismatch, .policyNotAllowed]

    private func claimSteps(_ resource: ProtectedResource?) -> [Explanation.Step] {
        let checks: [(name: String, detail: String, reasons: [RejectionReason])] = [
            ("times", times, [.expired, .notYetValid, .authTimeInvalid, .authenticationTooOld] + (datesAreSound ? [] : [.claimInvalid])),
            ("audience", audience(resource), [.audienceMismatch]),
            ("kind", kind, [.notAccessToken, .versionNotAllowed]),
            ("client", client, clientIsListed ? [] : [.clientNotAllowed]),
            ("subject", subject, [.subjectInvalid]),
            ("claims", otherClaims, [.tenantNotAllowed, .policyNotAllowed, .clientNotAllowed, .claimInvalid, .issuerMismatch]),
            ("binding", failed == .boundToken ? "bound to a key of its holder (cnf)" : "not bound to a key of its holder", [.boundToken]),
        ]
        var decided = facts.stage < .claims
        let told = checks.filter { check in
            switch check.name {
            case "client": issuer?.clients != nil
            case "kind": !facts.isOpaque || failed == .notAccessToken
            case "claims":
                // Always told when it failed, also for what every token must say: a refusal whose steps all passed explains nothing.
                issuer.map { !$0.claimChecks.isEmpty } ?? false || facts.stage == .claims && failed.map(check.reasons.contains) ?? false
            default: true
            }
        }
        return told.map { check in
            let verdict: Explanation.Step.Verdict
            if decided {
                verdict = .notReached
            } else if facts.stage == .claims, let failed, check.reasons.contains(failed) {
                (verdict, decided) = (.failed, true)
            } else {
                verdict = .passed
            }
            return Explanation.Step(check.name, verdict, verdict == .notReached ? "" : check.detail)
        }
    }

    private func policySteps(_ resource: ProtectedResource?, _ policy: AccessPolicy?) -> [Explanation.Step] {
        guard case .token(let requirements)? = policy else { return [] }
        guard let verified = facts.token, facts.stage >= .policy else {
            return requirements.map { Explanation.Step($0.name, .notReached, $0.detail) }
        }
        if verified.isOnlyForOrganizationRules, policy?.asksForOrganization == false {
            let detail = "the token is for \(verified.organization ?? "one"), and the rule asks for none"
            let left = requirements.map { Explanation.Step($0.name, .notReached, $0.detail) }
            return [Explanation.Step("organization", .failed, detail)] + left
        }
        let context = RequirementContext(token: verified, pathParameters: resource.map { pathParameters(of: $0) } ?? [:], now: now)
        var decided = false
        return requirements.map { requirement in
            if decided { return Explanation.Step(requirement.name, .notReached, requirement.detail) }
            decided = !requirement.isMet(in: context)
            return Explanation.Step(
                requirement.name, decided ? .failed : .passed, requirement.detail + held(by: verified, for: requirement))
        }
    }

    private func pathParameters(of resource: ProtectedResource) -> [String: String] {
        facts.match.map { resource.pathParameters(of: request, in: $0) } ?? [:]
    }

    private func step(_ stage: WalkStage, _ name: String, _ detail: String, failure: String) -> Explanation.Step {
        if stage > facts.stage { return Explanation.Step(name, .notReached, "") }
        let isFailure = stage == facts.stage && failed != nil
        return Explanation.Step(name, isFailure ? .failed : .passed, isFailure ? failure : detail)
    }
}
