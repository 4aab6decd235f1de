import AccessControl
import IssuerProfiles
import JOSE
import ProviderFixtures
import StrictJSON
import TokenVerification

/// A profile with a setup of the samples and generated key sets: judges tokens as a gateway does, without the network.
struct SampleGateway {
    let setup: ProviderSetup
    let profiled: ProfiledIssuer
    let problems: [ProfileProblem]
    private let verifier: TokenVerifier
    private let keySets: IndexedBy<KeySetIndex, KeySet>

    /// Shared, since RSA keys take a while to make.
    static let ring = SampleKeyRing()

    /// The time at which samples are judged.
    static let now = NumericDate(seconds: Double(SampleToken.judgedAt))

    init(_ setup: ProviderSetup, without name: String = "", changing changes: [String: ParameterValue] = [:]) throws {
        self.setup = setup
        let profile = try Self.known(IssuerProfile(rawValue: setup.provider.rawValue))
        let values = setup.values.filter { $0.key != name }.merging(changes) { _, changed in changed }
        let outcome = profile.issuer(named: "sample", values)
        problems = outcome.problems
        profiled = try Self.known(outcome.issuer)
        verifier = TokenVerifier(issuer: profiled.trusted)
        keySets = try profiled.keySets.mapped { named in
            let name = named.name.isEmpty ? setup.keySets.names.first : named.name
            let text = Array(try Self.known(Self.ring.jwkSet(of: setup.provider, keySet: name)).utf8)
            return try KeySet(parsing: text.span, use: .signaturesAndJWTSVIDs)
        }
    }

    /// The gateway that judges the sample.
    init(for sample: SampleToken, of samples: ProviderSamples) throws {
        try self.init(Self.known(samples.setup(for: sample)))
    }

    /// Reason why the sample is refused at its request's path. Nil if it is accepted.
    func reason(for sample: SampleToken) throws -> String? {
        do {
            let token = try verify(Self.ring.compactJWS(sample))
            let place = try Self.known(setup.place(of: sample.call))
            let context = RequirementContext(token: token, pathParameters: place.parameters, now: Self.now)
            switch place.policy.decide(context) {
            case .granted: return nil
            case .denied(let denial, _): return denial.rawValue
            }
        } catch let rejection as TokenRejection {
            return rejection.rawValue
        }
    }

    /// The verifier's verdict with the issuer's key sets.
    func verify(_ token: String, audiences: [String]? = nil) throws -> VerifiedToken {
        let bytes = Array(token.utf8)
        let unverified = try UnverifiedToken(bytes.span)
        do throws(TokenRefusal) {
            let verification = try verifier.verify(
                unverified, bytes.span, audiences: audiences ?? setup.audiences, at: Self.now
            ) { identifier throws(TokenRejection) -> KeyFinding<Never> in
                guard let key = try key(for: unverified, identifier) else { throw .unknownKeyID }
                return .keys(CandidateKeys(key))
            }
            switch verification {
            case .verified(let token, _): return token
            }
        } catch {
            throw error.rejection
        }
    }

    /// Hint for the operator about a token that is rejected for this reason.
    func hint(for rejection: TokenRejection, _ token: String) throws -> String? {
        let bytes = Array(token.utf8)
        guard let unverified = try? UnverifiedToken(bytes.span) else {
            return profiled.trusted.hint(for: rejection, claims: nil)
        }
        if let claimed = unverified.claims.issuer, let refused = verifier.refusal(of: claimed),
            verifier.refusal(of: unverified, refused) == rejection
        {
            return rejection == refused.rejection
                ? refused.hint : profiled.trusted.hint(for: rejection, claims: unverified.claims)
        }
        return profiled.trusted.hint(for: rejection, claims: unverified.claims)
    }

    /// Key for the token, from its own key set first, then from the others; whether their keys are allowed is judged
    /// later.
    private func key(for token: UnverifiedToken, _ identifier: IssuerIdentifier) throws(TokenRejection) -> SelectedKey?
    {
        let own = verifier.keySet(for: token, identifier: identifier)
        let others = profiled.trusted.keyBinding.isPolicy ? keySets.indexed.map(\.index).filter { $0 != own } : []
        guard let keyID = token.header.keyID else { return nil }
        for index in [own].compactMap(\.self) + others {
            if let keys = keySets[index], let key = try verifier.key(keyID, for: token, in: keys, keySet: index) {
                return key
            }
        }
        return nil
    }

    private static func known<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Missing() }
        return value
    }

    private struct Missing: Error {}
}

extension JSONObjectPatch {
    /// Sets the members of an object in JSON text.
    init(_ json: String, unset: [String] = []) throws {
        let bytes = Array(json.utf8)
        self.init(set: try JSONDocument(parsing: bytes.span, limits: .claimsSet).root, unset: unset)
    }
}

extension KeyBinding {
    fileprivate var isPolicy: Bool { if case .policy = self { true } else { false } }
}

extension ProviderSetup {
    /// The parameters as a profile reads them.
    var values: [String: ParameterValue] {
        Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.value.parameter) })
    }

    /// Policy at the path of a request, and the values of its path parameters.
    func place(of call: SampleCall) -> (policy: AccessPolicy, parameters: [String: String])? {
        for rule in rules where rule.methods.split(separator: ",").contains(call.method[...]) {
            if let parameters = rule.parameters(in: call.path) { return (rule.requirement.policy, parameters) }
        }
        return nil
    }
}

extension SetupValue {
    fileprivate var parameter: ParameterValue {
        switch self {
        case .text(let text): .text(text)
        case .list(let texts): .texts(texts)
        case .boolean(let truth): .boolean(truth)
        case .duration(let seconds): .duration(.seconds(seconds))
        case .mapping(let pairs): .texts(pairs.map(\.text))
        }
    }
}

extension SetupRule {
    /// Path parameters, compared segment by segment. Nil if the path does not match.
    fileprivate func parameters(in path: String) -> [String: String]? {
        let segments = path.split(separator: "/").map(String.init)
        var parameters: [String: String] = [:]
        let pattern = self.path.split(separator: "/").map(String.init)
        for (index, part) in pattern.enumerated() {
            if part == "**" { return parameters }
            guard index < segments.count else { return nil }
            if part.hasPrefix("{") {
                parameters[String(part.dropFirst().dropLast())] = segments[index]
            } else if part != segments[index] {
                return nil
            }
        }
        return pattern.count == segments.count ? parameters : nil
    }
}

extension SetupRequirement {
    fileprivate var policy: AccessPolicy {
        switch self {
        case .anyone: .public
        case .authenticated: .requiring([])
        case .scopes(let scopes): .requiring([.allScopes(scopes)])
        case .roles(let roles): .requiring([.anyRole(roles)])
        case .scopesInOrganization(let scopes, let segment):
            .requiring([.allScopes(scopes), .organization(inPath: segment)])
        }
    }
}
