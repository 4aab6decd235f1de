import AccessControl
import HTTPMessages
import JOSE
import KeySets
import StrictJSON
import TokenVerification

/// Text about a rejected token or origin: the values it has, and those that are accepted; or why there are no keys to
/// judge it by. It is for the access log and `explain`, never for a client.
///
/// It shows `iss`, `aud`, `alg`, `typ`, `kid`, scopes and times, and the claim that a rule requires of a proved token.
/// For a token's form, subject and ID it says only what is wrong, at most with the name of a member. Unsigned values
/// may be any text, so little of them is shown.
///
/// The text is made on demand, from the request itself: the record of a cached token is not complete.
struct RefusalDetail {
    private let authorizer: RequestAuthorizer
    private let facts: AuthorizationFacts
    private let reason: RejectionReason?
    private let claimValues: ClaimValues
    /// Time at which the request's stream was ended. Nil if it was refused before, or is no stream.
    private let streamEnd: NumericDate?
    private let token: SeenToken
    /// Origin, method and fields of a preflight. Nil for any other request.
    private let preflight: AskedPreflight?
    /// Origin of the page that sends the request, as its browser states it. Nil if the request has no `Origin`.
    private let origin: String?
    /// Fault of the path. Nil if it has none.
    private let path: String?
    /// True if a token may be parsed once more although no key was looked up for it. False for a client whose
    /// verifications are spent.
    private let readsAgain: Bool

    /// Most accepted names that are listed, and most bytes of each.
    private static let (mostNames, longestName) = (8, 128)
    /// Most bytes of the cause of a failed key request, and of what the answer to a preflight permits.
    private static let longestCause = 512

    /// - Parameter reason: the reason of the rejection. Nil if the request is not rejected.
    init(
        _ authorizer: RequestAuthorizer, _ request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts,
        reason: RejectionReason?, claimValues: ClaimValues = .shown, streamEnd: NumericDate? = nil
    ) {
        self.claimValues = claimValues
        self.streamEnd = streamEnd
        if case .preflight? = reason { preflight = AskedPreflight(request.head) } else { preflight = nil }
        self.authorizer = authorizer
        self.facts = facts
        self.reason = reason
        token = SeenToken(
            request, facts, at: authorizer.tokenPlace(of: request.head, facts),
            padding: facts.resource.flatMap { authorizer.compiled[$0] }?.padding ?? .refused)
        origin = request.head.first(.origin).map { request.head.string($0.value) }
        readsAgain = request.maySpendVerification
        path = reason == .message(.badRequest) && facts.stage <= .rule ? authorizer.pathFault(of: request, facts) : nil
    }

    /// The text. Nil if the reason itself says everything.
    var text: String? {
        guard let streamEnd, reason != .token(.expired) else { return refusal }
        return [refusal, "the stream was ended at \(streamEnd)"].compactMap(\.self).joined(separator: "; ")
    }

    private var refusal: String? {
        switch reason {
        case .token(let rejection): text(rejection)
        case .policy(.insufficientScope): scopes
        case .policy(.authenticationTooOld): times(withSignIn: true)
        case .policy(.claimRequired): claim
        case .preflight: ungranted
        case .routing(.originRefused): "the origin is \(token.shown(origin))"
        case .message: path
        case .routing(.maintenance): maintenance
        case .gateway(.keyNotAsked): key + "; the issuer was not asked about it"
        case .gateway(.keysUnavailable): unavailable
        case .policy, .credentials, .routing, .gateway, .upstream, .door, nil: nil
        }
    }

    private func text(_ rejection: TokenRejection) -> String? {
        guard readsAgain || facts.isOpaque || facts.stage > .token(.issuer) else { return nil }
        if facts.stage == .token(.issuer), rejection != .foreignResource { return issuer }
        if facts.stage == .token(.header), let statement = statement(rejection) { return statement }
        return switch rejection {
        case .malformed, .unsupportedHeader: token.fault
        case .issuerMismatch: issuer
        case .audienceMismatch: audience
        case .algorithmNotAllowed: algorithm
        case .typeMismatch: "typ is \(token.shown(token.header?.type)); accepted: at+jwt, application/at+jwt"
        case .unknownKeyID: key
        case .expired, .notYetValid, .authTimeInvalid, .authenticationTooOld: times
        case .claimInvalid: facts.stage == .token(.times) ? times : tokenID
        case .subjectInvalid: subject
        // Other values are not shown.
        default: nil
        }
    }

    /// The values that a preflight asks about, and those granted. Nil if all of it was granted.
    private var ungranted: String? {
        guard let preflight, reason == .preflight(.refused) || facts.narrowGrant != nil else { return nil }
        let policy = facts.resource.flatMap { authorizer.compiled[$0] }?.crossOrigin?.policy
        let granted =
            if facts.origin == .refused, let policy { "origins \(Self.listed(policy.origins.names))" } else {
                facts.narrowGrant.map(Self.cut) ?? "nothing"
            }
        return "asked: \(preflight.text); granted: \(granted)"
    }

    private static func cut(_ text: String) -> String {
        text.utf8.count > longestCause ? text.prefix(utf8Count: longestCause) + "…" : text
    }

    /// End of the maintenance that refuses the request. Nil if the facts name none.
    private var maintenance: String? {
        guard let resource, let ongoing = resource.maintenance(of: facts.rule, at: facts.time) else { return nil }
        let whose = ongoing == resource.maintenance ? "the resource" : "the rule"
        let end = ongoing.until.map { "until \($0)" } ?? "until `maintenance` is taken out of the file"
        return "\(whose) is in maintenance \(end)"
    }

    /// Why there are no keys to judge by. Nil if the facts do not say it.
    private var unavailable: String? {
        let issuer = facts.issuer.flatMap { authorizer.issuers[$0] }
        let failures = issuer?.stores(of: facts.realm).compactMap { $0.snapshot().lastFailure } ?? []
        let cause = failures.first.map { ": \($0.prefix(utf8Count: Self.longestCause))" }
        if facts.undecidedKey == .unanswered {
            return key + "; the last key request to the issuer got no answer" + (cause ?? "")
        }
        return cause.map { "the last key request to the issuer failed" + $0 }
    }

    // MARK: Values of the token

    private var issuer: String {
        // An issuer that is asked about a token may name no other issuer.
        let accepted =
            facts.isOpaque
            ? verifier?.issuer.identifiers.compactMap(\.exactText)
            : trusted.flatMap { $0.identifiers.map(\.description) }
        return "iss is \(token.shown(claim: "iss")); accepted: \(Self.listed(accepted ?? []))"
    }

    /// Member of the header that says who signed the token or for which client, or that repeats `iss`. Nil if the
    /// rejection has another cause.
    private func statement(_ rejection: TokenRejection) -> String? {
        let (member, accepted): (HeaderStatement.Member, [String]?)
        switch rejection {
        case .issuerMismatch: (member, accepted) = (.issuer, verifier?.issuer.signerRule?.issuers)
        case .signerNotAllowed: (member, accepted) = (.signer, verifier?.issuer.signerRule?.signers)
        case .clientNotAllowed: (member, accepted) = (.client, verifier?.issuer.clients)
        default: return nil
        }
        guard let accepted else { return nil }
        let seen = token.shown(token.header?.statement[member])
        return "\(member.rawValue) in the header is \(seen); accepted: \(Self.listed(accepted))"
    }

    var audience: String {
        if verifier?.issuer.audience == .signer { return "aud is not read; signer in the header decides" }
        let named = resource?.issuers.first { $0.issuer == facts.issuer }?.audiences ?? []
        let accepted = facts.isOpaque ? named : verifier?.issuer.audiences(naming: named) ?? named
        let clients = facts.isOpaque ? verifier?.issuer.opaqueTokens?.clients : verifier?.issuer.clientsWithoutAudience
        guard token.claims?.json[member: "aud"] == nil, let clients, facts.isOpaque || !clients.isEmpty else {
            return "aud is \(token.shown(claim: "aud")); accepted: \(Self.listed(accepted))"
        }
        return "aud is missing; then the client decides, accepted: \(Self.listed(clients))"
    }

    private var algorithm: String {
        let header = token.header
        // A header whose `alg` is missing or not a string cannot be read.
        let seen = "alg is \(header.map { token.shown($0.algorithmName) } ?? "missing or not text")"
        guard facts.stage != .token(.key) else {
            return seen + ", and the key \(token.shown(header?.keyID)) is for another"
        }
        let issuers = verifier.map { [$0.issuer] } ?? trusted
        let accepted = SignatureAlgorithm.allCases.filter { algorithm in
            issuers.contains { $0.algorithms.contains(algorithm) }
        }
        return seen + "; accepted: \(Self.listed(accepted.map(\.rawValue)))"
    }

    private var key: String {
        // The walk has set it before it looked up the key.
        let seen = "kid is \(token.shown(facts.keyID))"
        let fitting = "no key fits, or more than \(CandidateKeys.most) do"
        guard let keyID = facts.keyID else {
            return verifier?.issuer.allowsMissingKeyID == true
                ? seen + ", and \(fitting)" : seen + "; accepted only where the issuer says allow_missing_kid: true"
        }
        guard let issuer = facts.issuer.flatMap({ authorizer.issuers[$0] }) else { return seen }
        if issuer.verifier.issuer.deniedKeys.contains(keyID) { return seen + ", which denied_keys lists" }
        let stores = issuer.stores(of: facts.realm)
        if issuer.realms != nil, stores.isEmpty {
            return "iss is \(token.shown(claim: "iss")), and the issuer has no such realm, or no keys for it"
        }
        let sets = stores.compactMap { $0.snapshot().keys }
        let keys = sets.flatMap(\.keys)
        if keys.contains(where: { $0.keyID?.utf8.elementsEqual(keyID.utf8) ?? false && issuer.verifier.isDenied($0) }) {
            return seen + ", whose key denied_keys lists by its thumbprint"
        }
        let skipped = sets.flatMap(\.skipped).first { $0.keyID?.utf8.elementsEqual(keyID.utf8) ?? false }
        if let skipped { return seen + ", and the issuer's key of that ID is not used: \(skipped.reason)" }
        let names = keys.compactMap(\.keyID)
        if issuer.stores.contains(where: { $0.snapshot().hasSingleKeys }) {
            return SingleKeyURL.isKeyID(keyID)
                ? seen + "; the issuer publishes each key at its ID"
                : seen + "; accepted: a UUID in lower case"
        }
        if issuer.verifier.issuer.allowsMissingKeyID, names.isEmpty {
            return seen + "; the issuer's keys have none, and \(fitting)"
        }
        guard stores.count == 1 else {
            return seen + "; no key of the key set for such tokens has this ID"
        }
        return seen + "; the issuer's keys: \(Self.listed(names))"
    }

    /// Fault of the subject, without the subject itself. Nil if the claims are not known, or no subject rule applies.
    private var subject: String? {
        guard let rule = verifier?.issuer.subject, let claims = token.claims else { return nil }
        for path in rule.claims {
            guard let claim = path.value(in: claims.json) else { continue }
            do throws(IdentifierFault) {
                _ = try rule.subject(in: claim)
            } catch {
                return "\(path) \(error.text)"
            }
        }
        return "missing: \(rule.claims.map(\.description).joined(separator: ", "))"
    }

    /// Fault of `jti`. Nil if something else is wrong.
    private var tokenID: String? {
        guard let claim = token.claims?.json[member: "jti"], let fault = IdentifierFault(of: claim) else { return nil }
        return "jti \(fault.text)"
    }

    /// The claim that the rule requires. Nil if the claims cannot be read.
    private var claim: String? {
        guard let requirement, let issuer = verifier?.issuer,
            let claims = token.claims(named: requirement.paths(of: issuer).flatMap(\.topLevelNames))
        else { return nil }
        return RefusedClaim(requirement, in: claims, at: facts.time)?.text(claimValues, Self.listed)
    }

    private var scopes: String {
        let verifier = verifier
        let names = verifier?.issuer.scopeClaims.compactMap { $0.names.first } ?? []
        let held = token.claims(named: names).flatMap { verifier?.scopes(in: $0) } ?? []
        let seen = held.isEmpty ? "the token has no scope" : "scopes are \(token.shown(scopes: held))"
        guard let requirement else { return seen }
        let asked = requirement.scopes
        switch requirement {
        case .all:
            let names = requirement.names(of: .scope) ?? []
            let needed = names.count > 1 ? " is one of: \(Self.listed(names))" : ": \(Self.listed(asked))"
            return "\(seen); needed\(needed)\(clientNames(of: asked))"
        case .any: return "\(seen); needed is one of: \(Self.listed(asked))\(clientNames(of: asked))"
        case .anyOf(let alternatives):
            let scopes = policy?.challengeScopes(missed: facts.missed) ?? []
            return "\(seen); the first of \(alternatives.count) alternatives needs: \(Self.listed(scopes))"
                + clientNames(of: scopes)
        case .organization, .maxAge: return seen
        }
    }

    /// Note with the names by which clients request these scopes, if they differ; only for as many as are listed.
    private func clientNames(of scopes: [String]) -> String {
        let names = facts.resource.flatMap { authorizer.compiled[$0] }?.scopeNames
        return names?.note(on: Array(scopes.prefix(Self.mostNames)), issuer: facts.issuer) ?? ""
    }

    var times: String {
        times(withSignIn: reason == .token(.authTimeInvalid) || reason == .token(.authenticationTooOld))
    }

    private func times(withSignIn: Bool) -> String {
        let names = ["exp", "nbf", "iat"] + (withSignIn ? ["auth_time"] : [])
        let claims = token.claims(named: names)
        let told = names.compactMap { name -> String? in
            guard let claim = claims?.json[name] else { return Self.mustBe(name, facts) ? "\(name) is missing" : nil }
            return "\(name) \(claim.real.map { NumericDate(seconds: $0).description } ?? "not a number")"
        }
        let leeway = verifier.map { ", leeway \(Self.seconds($0.issuer.leeway))" } ?? ""
        let now = streamEnd.map { "the stream began at \(facts.time) and was ended at \($0)" } ?? "now \(facts.time)"
        return told.joined(separator: ", ") + "; \(now)" + leeway + limit(withSignIn: withSignIn)
    }

    private static func mustBe(_ name: String, _ facts: AuthorizationFacts) -> Bool {
        name == "auth_time" || name == "exp" && !facts.isOpaque
    }

    /// The limit that times are compared with, besides the current time.
    private func limit(withSignIn: Bool) -> String {
        if case .maxAge(let limit)? = requirement, withSignIn { return "; max_age \(Self.seconds(limit))" }
        if case .anyOf? = requirement, withSignIn, let limit = policy?.challengeMaxAge(missed: facts.missed) {
            return "; max_age \(limit) s"
        }
        if withSignIn {
            return verifier?.issuer.maxAuthenticationAge.map { "; max_auth_age \(Self.seconds($0))" } ?? ""
        }
        return verifier?.issuer.maxLifetime.map { "; max_lifetime \(Self.seconds($0))" } ?? ""
    }

    private static func seconds(_ duration: Duration) -> String { "\(Int(duration.inSeconds)) s" }

    private static func listed(_ names: [String]) -> String {
        guard var text = names.first.map({ String($0.prefix(utf8Count: longestName)) }) else { return "none" }
        for name in names.dropFirst().prefix(mostNames &- 1) { text += ", " + name.prefix(utf8Count: longestName) }
        return names.count > mostNames ? "\(text) and \(names.count - mostNames) more" : text
    }

    // MARK: Rules for the token

    /// Verifier with the rules of the token's issuer. Nil if the issuer is not known.
    private var verifier: TokenVerifier? { authorizer.verifier(of: facts.issuer) }

    private var resource: ProtectedResource? { facts.resource.flatMap { authorizer.resources[$0] } }

    private var trusted: [TrustedIssuer] { resource?.issuers.compactMap { authorizer.rules(of: $0.issuer) } ?? [] }

    /// The rule's requirement that the token does not meet. Nil if the request is not rejected for a requirement.
    private var requirement: Requirement? {
        guard facts.stage == .policy, let missed = facts.missed, let requirements = policy?.requirements,
            requirements.indices.contains(missed)
        else { return nil }
        return requirements[missed]
    }

    private var policy: AccessPolicy? { facts.rule.flatMap { resource?.policies[$0] } }
}

extension RequestAuthorizer {
    /// One line for the operator about a rejected request: the token's values, and those that are accepted. It is never
    /// shown to the client. Nil if the reason says everything.
    ///
    /// - Parameters:
    ///   - claimValues: whether the value of a claim that a rule requires is shown, or only its type.
    ///   - streamEnd: time at which the request's stream was ended for this reason. Nil if it was not.
    public func detail(
        of reason: RejectionReason, _ request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts,
        _ claimValues: ClaimValues = .shown, streamEnd: NumericDate? = nil
    ) -> String? {
        RefusalDetail(self, request, facts, reason: reason, claimValues: claimValues, streamEnd: streamEnd).text
    }
}
