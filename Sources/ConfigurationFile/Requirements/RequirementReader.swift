import AccessControl

/// Policies of the file by name. The value is nil for a policy with errors.
struct NamedPolicies {
    fileprivate(set) var policies: [String: AccessPolicy?] = [:]
    fileprivate var names: [String] = []
}

extension NamedPolicies {
    /// Reads `policies`.
    init(_ value: Value?, issuers: [String]) {
        guard let members = value?.members(expected: "a mapping of names to requirements") else { return }
        for member in members {
            // The path parameters are not known yet: they depend on the rule that uses the policy.
            policies[member.key] = .some(
                RequirementReader(policies: nil, issuers: issuers, parameters: nil).policy(member.value))
            names.append(member.key)
        }
    }
}

/// Reads the requirements of a rule.
struct RequirementReader {
    static let form = ValueForm.oneOf([.text("`authenticated`, or scopes"), .section(RequirementKeys.section)])

    private var forms: String {
        "`authenticated`, scopes, \(isPart ? "" : "`{public: true}`, ")or a mapping of requirements"
    }

    /// Policies that may be used by name. Nil inside a policy, which cannot use another one.
    let policies: NamedPolicies?
    /// Names of the file's issuers.
    let issuers: [String]
    /// Names of the parameters in the rule's path. Nil if they are not known.
    let parameters: [String]?
    /// Names in the rule's path that stand beside other text or behind `**`. They name no organization.
    var namesWithoutValue: [String] = []
    /// True inside another requirement or the `require` of a resource. There, public and optional access cannot be
    /// written.
    var isPart = false

    /// Reader for requirements on tokens inside another requirement.
    var part: RequirementReader {
        var part = self
        part.isPart = true
        return part
    }

    func policy(_ value: Value) -> AccessPolicy? {
        if value.isMapping { return mapping(value) }
        guard value.isScalar else {
            if value.isUnusable { return nil }
            return value.refuse("expected \(forms), found a list", hint: "write {all_of: […]} or {any_of: […]}")
        }
        guard let text = value.someText(expected: forms) else { return nil }
        guard text != "authenticated" else { return .requiring([]) }
        return scopesOfRule(text, value).map { .requiring([.allScopes($0)]) }
    }

    // MARK: Scopes

    /// Reads scopes separated by spaces, all of which are needed. A word with another meaning is an error and must be
    /// written explicitly. Nil after an error, which is reported.
    private func scopesOfRule(_ text: String, _ value: Value) -> [String]? {
        guard let scopes = Self.scopes(text, value) else { return nil }
        if let word = AmbiguousWord(among: scopes) {
            return value.refuse(word.message, hint: word.hint(isPart: isPart))
        }
        return Self.warned(scopes, value)
    }

    /// Scopes unchanged. Warns of each that looks like a pattern.
    private static func warned(_ scopes: [String], _ value: Value) -> [String] {
        for (index, scope) in scopes.enumerated() {
            let literal = scopes.enumerated().map {
                $0 == index ? "{text: \(PatternAdvice.quoted($1))}" : FlowText.of($1)
            }
            ComparedText(text: scope, value: value, isStated: false).warn(
                .scope, literal: scopes.count > 1 ? "{all_of: [\(literal.joined(separator: ", "))]}" : nil)
        }
        return scopes
    }

    private static func scopes(_ text: String, _ value: Value) -> [String]? {
        let scopes = text.split(separator: " ").map(String.init)
        guard !scopes.isEmpty else {
            return value.refuse("names no scope", hint: "write `authenticated` for any valid token")
        }
        for scope in scopes {
            if scope.hasSuffix(",") {
                return value.refuse("`\(scope)` ends with a comma", hint: "scopes are separated by spaces")
            }
            guard scope.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else {
                return value.refuse(
                    "`\(scope)` is not a scope (RFC 6749 §3.3)",
                    hint: "scopes are printable ASCII without quotes and backslashes")
            }
        }
        return scopes
    }

    static func scopeList(_ value: Value) -> [String]? {
        value.comparedTexts(of: "scope")?.flatMap { compared in
            let scopes = scopes(compared.text, compared.value) ?? []
            return compared.isStated ? scopes : warned(scopes, compared.value)
        }
    }

    /// Reads scopes that are all needed and taken literally. Invalid scopes are reported and left out. Nil for an empty
    /// list or another kind of value, which is reported.
    static func statedScopes(_ value: Value) -> [String]? {
        value.someElements(of: "scope")?.flatMap { element in
            element.someText().flatMap { scopes($0, element) } ?? []
        }
    }

    /// Reads `any_of`: scopes or requirements, of which one is enough. Several scopes in one text mean "all" everywhere
    /// else, so they are refused here. Invalid alternatives are reported and left out. Nil for an empty list or another
    /// kind of value, which is reported.
    private func alternatives(_ value: Value) -> Requirement? {
        guard let elements = value.someElements(of: "scope", expected: "a scope, or a list of scopes and mappings")
        else { return nil }
        let alternatives = elements.compactMap { alternative($0, isAlone: elements.count == 1) }
        for element in elements where element.isScalar {
            guard let text = element.text(), let word = AmbiguousWord(among: [text]) else { continue }
            if elements.contains(where: \.isMapping) {
                // Beside requirements, a word such as `authenticated` is probably not meant as a scope.
                element.report(word.message, hint: "write \(word.scope)")
            } else if ForeignText(text, .scope) == nil {
                element.warn(word.message, hint: "write \(word.scope)")
            }
        }
        let scopes = alternatives.compactMap(\.soleScope)
        return scopes.count == alternatives.count ? .anyScope(scopes) : .anyOf(alternatives)
    }

    private func alternative(_ element: Value, isAlone: Bool) -> [Requirement]? {
        if element.isMapping {
            guard let requirements = part.policy(element)?.requirements else { return nil }
            // After an error the list may be empty only because of that error.
            guard requirements.isEmpty, !element.reading.hasErrors else { return requirements }
            return element.refuse(
                "any token meets this alternative, so the others have no effect",
                hint: "write what the token needs, or leave `any_of` out"
            )
        }
        guard let text = element.someText(expected: "a scope or a mapping"), let scopes = Self.scopes(text, element)
        else { return nil }
        guard scopes.count > 1 else { return [.allScopes(Self.warned(scopes, element))] }
        return element.refuse(
            "`\(text)` are \(scopes.count) scopes, and an alternative of `any_of` is one",
            hint: Self.alternativeHint(scopes, isAlone: isAlone))
    }

    /// Hint for several scopes in one text. The intended meaning is unknown, and one scope per entry would ask for
    /// less. So the hint explains both possibilities.
    private static func alternativeHint(_ scopes: [String], isAlone: Bool) -> String {
        let list = scopes.joined(separator: ", ")
        return isAlone
            ? "write {all_of: [\(list)]} if all of them are needed, {any_of: [\(list)]} if one of them is enough"
            : "write {all_of: [\(list)]} in its place if all of them are needed, `\(list)` if one of them is enough"
    }

    // MARK: Mapping

    private func mapping(_ value: Value) -> AccessPolicy? {
        guard
            let section = Section(
                value, of: RequirementKeys.self, misplaced: { $0 == PatternKeys().glob.name ? PatternKeys.advice : nil }
            )
        else { return nil }
        if isPart || policies == nil { judgeCompanions(in: value) }
        if isPart, let open = section[\.public] ?? section[\.optional] {
            return open.refuseMissing(
                "only a rule can permit requests without a token", hint: "write what the token needs")
        }
        if let isPublic = section[\.public] { return publicPolicy(isPublic, section) }
        if let optional = section[\.optional] { return optionalPolicy(optional, in: value) }
        var requirements: [Requirement] = []
        if let named = section[\.policy], let policy = namedPolicy(named) {
            guard case .token(let inherited) = policy else { return open(policy, named, in: value) }
            requirements += inherited
        }
        requirements += scopeAndNameRequirements(section) + claimRequirements(section) + signInRequirements(section)
        if value.members()?.isEmpty == true {
            let hint = "write `authenticated` for any valid token, {public: true} for none"
            return value.refuse("asks for nothing", hint: isPart ? "write what the token needs" : hint)
        }
        return .requiring(requirements)
    }

    /// Reports keys that only rules and resources have.
    private func judgeCompanions(in mapping: Value) {
        let companions = RequirementKeys().besideRequirements
        for member in mapping.members() ?? [] {
            guard let companion = companions.first(where: { $0.key.name == member.key }) else { continue }
            member.reportKey(
                isPart ? "\(companion.subject) not asked of a token" : "a policy has no \(companion.object)",
                hint: "write \(companion.pronoun) on the rule or on the resource")
        }
    }

    /// Requirements on a token, except for those on single claims.
    func grantRequirements(_ section: Section<RequirementKeys>) -> [Requirement] {
        scopeAndNameRequirements(section) + signInRequirements(section)
    }

    private func signInRequirements(_ section: Section<RequirementKeys>) -> [Requirement] {
        var requirements: [Requirement] = []
        if let organization = section.read(\.organization, organization).value {
            requirements.append(organization)
        }
        if let maxAge = section.read(\.maxAge).value { requirements.append(.maxAge(maxAge)) }
        return requirements
    }

    private func scopeAndNameRequirements(_ section: Section<RequirementKeys>) -> [Requirement] {
        var requirements: [Requirement] = []
        if let scopes = section.read(\.allOf).value { requirements.append(.allScopes(scopes)) }
        if let scopes = section.read(\.text).value { requirements.append(.allScopes(scopes)) }
        if let alternatives = section[\.anyOf].flatMap(alternatives) { requirements.append(alternatives) }
        if let roles = section.read(\.roles).value { requirements.append(.anyRole(roles)) }
        if let names = section[\.issuer].flatMap(issuerNames) { requirements.append(.issuer(oneOf: names)) }
        if let clients = section.read(\.clients).value { requirements.append(.client(oneOf: clients)) }
        if let classes = section.read(\.acr).value {
            requirements.append(.authenticationContext(oneOf: classes))
        }
        return requirements
    }

    private func issuerNames(_ value: Value) -> [String]? {
        value.someElements(of: "issuer", expected: "an issuer's name or a list of names")?.compactMap { element in
            guard let name = element.someText(expected: "an issuer's name") else { return nil }
            guard issuers.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
                return element.refuse("there is no issuer `\(name)`", hint: NearestName.hint(for: name, among: issuers))
            }
            return name
        }
    }

    /// Reads authentication context classes. Each must be a word, because a challenge lists them separated by spaces
    /// (RFC 9470 §3). Invalid words are reported and left out. Nil for an empty list or another kind of value, which is
    /// reported.
    static func contextClasses(_ value: Value) -> [String]? {
        value.comparedTexts(of: "context class")?.compactMap { compared in
            guard compared.text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else {
                let hint = "write a list of words in printable ASCII, without quotes"
                return compared.value.refuse("`\(compared.text)` is not one context class", hint: hint)
            }
            compared.warn(.name)
            return compared.text
        }
    }

    private func publicPolicy(_ value: Value, _ section: Section<RequirementKeys>) -> AccessPolicy? {
        guard let isPublic = section.read(\.public).value else { return nil }
        guard isPublic else {
            return value.refuse("`public: false` says nothing", hint: "write what the rule needs, or `authenticated`")
        }
        return isAlone(in: section.value) ? .public : contradiction(value)
    }

    private func optionalPolicy(_ value: Value, in mapping: Value) -> AccessPolicy? {
        // A YAML word such as `true` would otherwise be taken for a scope.
        if case .scalar(let scalar) = value.node.content,
            ["true", "false", "yes", "no", "on", "off"].contains(scalar.text.lowercased())
        {
            let word = scalar.text
            return value.refuse(
                "`optional: \(word)` does not say what a token needs",
                hint: "write {optional: authenticated} for any valid token")
        }
        let policy = part.policy(value)
        guard isAlone(in: mapping) else {
            return value.refuseMissing(
                "only \(Self.companions) may stand beside `optional`",
                hint: "write what a token needs below `optional`")
        }
        return policy?.madeOptional
    }

    /// Applies a named policy that needs no token, or for which the token is optional. Only a rule may name one, and it
    /// may add no other requirement. Nil in every other case, which is reported.
    private func open(_ policy: AccessPolicy, _ named: Value, in mapping: Value) -> AccessPolicy? {
        guard !isPart else {
            return named.refuse(
                "this policy needs no token, which only a rule may do", hint: "name one that asks for a token")
        }
        guard !isAlone(in: mapping) else { return policy }
        guard policy.permitsAnonymous else { return contradiction(named) }
        return named.refuseMissing(
            "a policy with `optional` cannot be added to", hint: "write what a token needs below `optional`")
    }

    /// Names of the keys that may stand beside any requirement, as a text.
    private static var companions: String {
        let names = RequirementKeys().besideRequirements.map { "`\($0.key.name)`" }
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }

    /// True if the mapping has no key besides the open policy and those that may stand beside any requirement.
    private func isAlone(in mapping: Value) -> Bool {
        let others = RequirementKeys().besideRequirements.map(\.key.name)
        return mapping.members()?.count { !others.contains($0.key) } == 1
    }

    private func contradiction(_ value: Value) -> AccessPolicy? {
        return value.refuseMissing("a public rule cannot ask for anything else", hint: "keep one of them")
    }

    // MARK: Parts

    private func namedPolicy(_ value: Value) -> AccessPolicy? {
        guard let policies else { return value.refuseMissing("a policy cannot use another") }
        guard let name = value.someText(expected: "a policy's name") else { return nil }
        guard let policy = policies.policies[name] else {
            let hint = NearestName.of(name, among: policies.names).map { "did you mean `\($0)`?" }
            return value.refuse("there is no policy `\(name)`", hint: hint ?? "write it under `policies`")
        }
        if let policy { judgeParameters(of: policy, value) }
        return policy
    }

    /// Reports path parameters that a policy uses but the rule's path does not have.
    func judgeParameters(of policy: AccessPolicy, _ value: Value) {
        for parameter in policy.pathParameters { _ = judgeParameter(parameter, value) }
    }

    private func organization(_ value: Value) -> Requirement? {
        let expected = "an organization, a list, or \"{name}\" from the path"
        guard let names = value.comparedTexts(of: "organization", expected: expected) else { return nil }
        guard let reference = names.first(where: Self.isReference)?.text else {
            return .organization(oneOf: names.warned(.name))
        }
        guard value.isScalar else {
            return value.refuse("a name from the path stands alone", hint: "write \"{name}\" without a list")
        }
        let name = String(reference.dropFirst().dropLast())
        return judgeParameter(name, value) ? .organization(inPath: name) : nil
    }

    private static func isReference(_ name: ComparedText) -> Bool {
        !name.isStated && name.text.hasPrefix("{") && name.text.hasSuffix("}")
    }

    private func judgeParameter(_ name: String, _ value: Value) -> Bool {
        guard let parameters, !parameters.contains(name) else { return true }
        guard !namesWithoutValue.contains(name) else {
            value.report(
                "`{\(name)}` names no organization: it is a part of a segment, or stands behind `**`",
                hint: "make it a whole segment before any `**`, such as `/{\(name)}/…`")
            return false
        }
        let hint =
            parameters.isEmpty
            ? "write it into the rule's path" : "there is \(parameters.map { "{\($0)}" }.joined(separator: ", "))"
        value.report("the rule's path has no `{\(name)}`", hint: hint)
        return false
    }
}

extension [Requirement] {
    /// Scope, if the requirements ask for exactly one scope and nothing more. Nil otherwise.
    fileprivate var soleScope: String? {
        guard count == 1, case .all? = first, let scopes = first?.scopes, scopes.count == 1 else { return nil }
        return scopes.first
    }
}
