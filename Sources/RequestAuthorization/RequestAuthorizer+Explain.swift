import AccessControl
import HTTPMessages
import JOSE
import KeySets
import StrictJSON
import TokenVerification

extension RequestAuthorizer {
    /// The verdict of `authorize` on the request, with every step that led to it.
    ///
    /// The verdict itself comes from `authorize`; only the telling is done here. A request that would have to wait is told as if the
    /// wait had ended without an answer.
    public func explain(_ request: inout AuthorizationRequest, at now: NumericDate) -> Explanation {
        var outcome = authorize(&request, at: now)
        if case .wait(let wait, _) = outcome {
            request.answer = wait.unavailable
            outcome = authorize(&request, at: now)
        }
        switch outcome {
        case .forward(let forwarding):
            let steps = Walk(self, request, forwarding.facts, now, failed: nil).steps
            return Explanation(steps: steps, forwarding: forwarding, authorizer: self, request: request)
        case .reject(let rejection, let facts):
            let steps = Walk(self, request, facts, now, failed: rejection.reason).steps
            return Explanation(steps: steps, rejection: rejection, facts: facts, authorizer: self, request: request)
        case .publish(let document, _): return Explanation(publishing: document)
        case .wait(_, let facts):
            let steps = Walk(self, request, facts, now, failed: .keysUnavailable).steps
            return Explanation(steps: steps, rejection: Rejection(.keysUnavailable), facts: facts, authorizer: self, request: request)
        }
    }

    /// The rule as its pattern is written; nil before a rule was found.
    public func ruleName(_ facts: AuthorizationFacts) -> String? {
        guard let resource = facts.resource, let rule = facts.rule else { return nil }
        return resources[resource].routes.routes[rule].description
    }
}

/// The telling of one walk: every stage before the last one passed, and that one passed or failed.
private struct Walk {
    let authorizer: RequestAuthorizer
    let request: AuthorizationRequest
    let facts: AuthorizationFacts
    let now: NumericDate
    let failed: RejectionReason?
    private let token: UnverifiedToken?

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
        let resource = facts.resource.map { authorizer.resources[$0] }
        let policy = facts.rule.flatMap { rule in resource.map { $0.policies[rule] } }
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
        case .form: return [step(stage, "form", facts.isOpaque ? "an opaque token (no dots)" : form, failure: formFailure)]
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

    /// The rules of the token's issuer, once it is known.
    fileprivate var issuer: TrustedIssuer? {
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
            ("kind", "a token for APIs, not for sign-in", [.notAccessToken, .versionNotAllowed]),
            ("client", client, clientIsListed ? [] : [.clientNotAllowed]),
            ("subject", subject, [.subjectInvalid]),
            (
                "claims", "what else this issuer's tokens must say",
                [.tenantNotAllowed, .policyNotAllowed, .clientNotAllowed, .claimInvalid]
            ),
            ("binding", "not bound to a key of its holder", [.boundToken]),
        ]
        var decided = facts.stage < .claims
        let told = checks.filter { check in
            switch check.name {
            case "client": issuer?.clients != nil
            case "claims": issuer.map { !$0.claimChecks.isEmpty } ?? false
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

// MARK: - What the steps say

extension Walk {
    private static func token(in head: RequestHead) -> UnverifiedToken? {
        guard let field = head.first(.authorization) else { return nil }
        let value = head.bytes.span.extracting(field.value)
        guard case .token(let range) = BearerCredentials(value) else { return nil }
        return try? UnverifiedToken(value.extracting(range))
    }

    fileprivate var pathFailure: String {
        "two readers may read this path differently (dot segment, encoded slash, empty segment, bad escape …)"
    }

    fileprivate var placeFailure: String {
        failed == .badRequest
            ? "`;` in a path is refused unless the resource says `path_parameters: keep`" : "no resource is at this host and path"
    }

    fileprivate func ruleFailure(_ resource: ProtectedResource?) -> String {
        let rules = resource.map { $0.routes.routes.map { "`\($0)`" }.joined(separator: ", ") } ?? ""
        return "none of the rules matches this method and path: \(rules)"
    }

    fileprivate var credentialsFailure: String {
        switch failed {
        case .multipleCredentials: "more than one: two Authorization fields, or a token in the query besides"
        case .malformedCredentials: "the Authorization field is not `Bearer`, a space, and one token"
        default: "no Authorization field with the Bearer scheme"
        }
    }

    fileprivate var form: String {
        guard let token else { return "" }
        return "compact JWS, \(token.header.algorithmName), " + (token.header.keyID.map { "kid \($0)" } ?? "no kid")
    }

    fileprivate var formFailure: String {
        switch failed {
        case .opaqueNotSupported: "an opaque token (no dots): only its issuer could judge it"
        case .algorithmNotAllowed: "`alg` is missing, none, symmetric or unknown"
        case .unsupportedHeader: "the header has a member that is never honoured (crit, b64, zip, jku, jwk, x5u, x5c, enc)"
        default: "not three base64url parts with a JSON object in the first two"
        }
    }

    fileprivate var introspectionFailure: String {
        failed == .inactive ? "its issuer says it is not active" : "its issuer could not be asked (not reachable, or not asked offline)"
    }

    fileprivate var issuerName: String {
        "\(facts.issuer ?? "") (\(token?.claims.issuer ?? ""))"
    }

    fileprivate func issuerFailure(_ resource: ProtectedResource?) -> String {
        let issuers = resource.map { $0.issuers.map { authorizer.issuers[$0.issuer].verifier.issuer } } ?? []
        let trusted = issuers.flatMap { $0.identifiers.map(\.description) }
        return
            "iss is \(token?.claims.issuer.map { "`\($0)`" } ?? "missing"); trusted here: \(trusted.map { "`\($0)`" }.joined(separator: ", "))"
    }

    fileprivate var header: String {
        "typ \(token?.header.type ?? "absent"), \(token?.header.algorithmName ?? "") is on the issuer's list"
    }

    fileprivate var headerFailure: String {
        switch failed {
        case .typeMismatch: "typ is \(token?.header.type.map { "`\($0)`" } ?? "missing"), but this issuer's access tokens say `at+jwt`"
        case .unknownKeyID: "the header names no key (kid), and the issuer does not say `allow_missing_kid: true`"
        default: "\(token?.header.algorithmName ?? "alg") is not among the issuer's `algorithms`"
        }
    }

    fileprivate var keyName: String { facts.keyID ?? "the only key that fits" }

    fileprivate var keyFailure: String {
        switch failed {
        case .keysUnavailable: "the issuer's keys could not be had"
        case .algorithmNotAllowed: "the key named is not for this algorithm"
        default: "the issuer's key set has no such key: \(facts.keyID ?? "")"
        }
    }

    fileprivate var times: String {
        guard let claims = token?.claims.json else { return "" }
        let dates = [("exp", claims[member: "exp"]), ("nbf", claims[member: "nbf"]), ("iat", claims[member: "iat"])]
        let told = dates.compactMap { name, claim in
            claim.map { "\(name) \($0.real.map { NumericDate(seconds: $0).description } ?? "not a number")" }
        }
        return told.joined(separator: ", ") + "; now \(now)" + (claims[member: "exp"] == nil ? "; exp is missing" : "")
    }

    /// Whether the dates are dates, so that an invalid claim is another one.
    fileprivate var datesAreSound: Bool {
        guard let claims = token?.claims.json, claims[member: "exp"]?.real != nil else { return false }
        return ["nbf", "iat"].allSatisfy { name in claims[name].map { ($0.real ?? -1) >= 0 } ?? true }
    }

    fileprivate func audience(_ resource: ProtectedResource?) -> String {
        let aud = token?.claims.json[member: "aud"].map { String(decoding: $0.serialized(), as: UTF8.self) } ?? "missing"
        let accepted = resource?.issuers.first { authorizer.issuers[$0.issuer].verifier.issuer.name == facts.issuer }?.audiences ?? []
        return "aud is \(aud); accepted: \(accepted.joined(separator: ", "))"
    }

    fileprivate var originFailure: String {
        switch failed {
        case .tenantNotAllowed: "tid is \(claim("tid")), which is not among the tenants that are wanted"
        case .keyIssuerMismatch: "the key belongs to another issuer of the same platform"
        case .policyNotAllowed: "the user flow (tfp \(claim("tfp")), acr \(claim("acr"))) is not accepted, or another flow's key signed"
        default: "tid is \(claim("tid")), and iss does not belong to it"
        }
    }

    private func claim(_ name: String) -> String {
        token?.claims.json[name].map { String(decoding: $0.serialized(), as: UTF8.self) } ?? "missing"
    }

    fileprivate var client: String {
        let client = token.flatMap { token in issuer.flatMap { token.claims.first(of: $0.clientClaims)?.string } } ?? "not named"
        return "the client is \(client)" + (issuer?.clients.map { "; accepted: \($0.joined(separator: ", "))" } ?? "")
    }

    /// Whether the client is one of those that are wanted, so that it was refused for something else.
    fileprivate var clientIsListed: Bool {
        guard let issuer, let clients = issuer.clients else { return true }
        let client = token?.claims.first(of: issuer.clientClaims)
        return clients.contains { client?.isString(equalTo: $0) ?? false }
    }

    fileprivate var subject: String {
        token?.claims.json[member: "sub"].map { "sub is \(String(decoding: $0.serialized(), as: UTF8.self))" } ?? "no sub"
    }

    fileprivate func held(by token: VerifiedToken, for requirement: Requirement) -> String {
        switch requirement {
        case .allScopes, .anyScope: "; the token has: \(token.scopes.isEmpty ? "no scope" : token.scopes.joined(separator: " "))"
        case .anyRole: "; the token has: \(token.roles.isEmpty ? "no role" : token.roles.joined(separator: ", "))"
        case .client: "; the token is \(token.clientID ?? "nobody")'s"
        case .organization: "; the token is for \(token.organization ?? "none")"
        case .claim(let path, _):
            "; the token has: \(path.value(in: token.claims.json).map { String(decoding: $0.serialized(), as: UTF8.self) } ?? "none")"
        case .authenticationContext, .maxAge: ""
        }
    }
}

extension Requirement {
    /// What the file calls it.
    fileprivate var name: String {
        switch self {
        case .allScopes: "scopes"
        case .anyScope: "any scope"
        case .anyRole: "roles"
        case .claim(let path, _): "claim \(path)"
        case .client: "clients"
        case .organization: "organization"
        case .authenticationContext: "acr"
        case .maxAge: "max_age"
        }
    }

    fileprivate var detail: String {
        switch self {
        case .allScopes(let scopes): "needs \(scopes.joined(separator: " "))"
        case .anyScope(let scopes): "needs one of \(scopes.joined(separator: ", "))"
        case .anyRole(let roles): "needs one of \(roles.joined(separator: ", "))"
        case .claim(_, let values): "needs one of \(values.map(\.description).joined(separator: ", "))"
        case .client(let clients): "needs one of \(clients.joined(separator: ", "))"
        case .organization(.oneOf(let names)): "needs one of \(names.joined(separator: ", "))"
        case .organization(.pathParameter(let name)): "needs the one that the path names as {\(name)}"
        case .authenticationContext(let classes): "needs one of \(classes.joined(separator: ", "))"
        case .maxAge(let limit): "needs a sign-in no longer ago than \(limit)"
        }
    }
}
