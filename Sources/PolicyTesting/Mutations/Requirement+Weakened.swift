import AccessControl
import TokenVerification

/// A requirement that asks for less.
struct Weakening {
    /// What became of it: `without roles`.
    let text: String
    /// nil: it is not there any more.
    let requirement: Requirement?
    /// Whether a part of it is not there, rather than satisfied more easily.
    var isDrop = false
}

extension Requirement {
    /// The ways in which it can ask for less, that it is not there first. A new case of requirement is to be added
    /// here.
    func weakenings(_ seen: SeenTokens) -> [Weakening] {
        [Weakening(text: "without \(nameInFile)", requirement: nil, isDrop: true)] + lesser(seen)
    }

    private func lesser(_ seen: SeenTokens) -> [Weakening] {
        func any(_ what: String, _ requirement: Requirement) -> [Weakening] {
            [Weakening(text: "with any \(what)", requirement: requirement)]
        }
        switch self {
        case .allScopes(let scopes):
            guard scopes.count > 1 else { return any("scope", .anyScope(scopes + seen.scopes)) }
            return scopes.indices.map { index in
                Weakening(
                    text: "without scope \(scopes[index])", requirement: .allScopes(scopes.without(index)), isDrop: true
                )
            } + [Weakening(text: "any_of for all_of", requirement: .anyScope(scopes))]
        case .anyScope(let scopes): return any("scope", .anyScope(scopes + seen.scopes))
        case .scope(let scope, let others):
            return any("scope for \(scope)", .scope(scope, orAnyOf: others + seen.scopes))
        case .anyRole(let roles): return any("role", .anyRole(roles + seen.roles))
        case .claim(let path, let values):
            return any("value of \(path)", .claim(path, oneOf: values + seen.values(at: path)))
        case .claimMatching(let path, let choice):
            return any(
                "value of \(path)",
                .claimMatching(
                    path, ClaimChoice(values: choice.values + seen.values(at: path), patterns: choice.patterns)))
        case .claimOtherThan(let path, let choice): return Self.lesser(path, excluding: choice)
        case .noClaims(let paths):
            guard paths.count > 1 else { return [] }
            return paths.indices.map {
                Weakening(text: "with \(paths[$0]) permitted", requirement: .noClaims(paths.without($0)))
            }
        case .issuer: return []
        case .client(let clients): return any("client", .client(oneOf: clients + seen.clients))
        case .organization(.oneOf(let names)):
            return any("organization", .organization(.oneOf(names + seen.organizations)))
        case .organization(.pathParameter): return any("organization", .organization(.oneOf(seen.organizations)))
        case .authenticationContext(let classes):
            return any("acr", .authenticationContext(oneOf: classes + seen.contextClasses))
        case .maxAge: return any("sign-in, however old", .maxAge(Self.everSince))
        case .anyOf(let alternatives): return Self.lesser(alternatives, seen)
        }
    }

    private static let everSince = Duration.seconds(10 * 365 * 86_400)

    private static func lesser(_ path: ClaimPath, excluding choice: ClaimChoice) -> [Weakening] {
        guard choice.values.count + choice.patterns.count > 1 else { return [] }
        let values = choice.values.indices.map { index in
            (
                choice.values[index].description,
                ClaimChoice(values: choice.values.without(index), patterns: choice.patterns)
            )
        }
        let patterns = choice.patterns.indices.map { index in
            (
                choice.patterns[index].description,
                ClaimChoice(values: choice.values, patterns: choice.patterns.without(index))
            )
        }
        return (values + patterns).map {
            Weakening(text: "with \(path) \($0.0) permitted", requirement: .claimOtherThan(path, $0.1))
        }
    }

    /// Each part of each alternative asks for less, or each of its parts becomes an alternative of its own. An
    /// alternative without its only part asks for nothing, as if all of them were not there.
    private static func lesser(_ alternatives: [[Requirement]], _ seen: SeenTokens) -> [Weakening] {
        alternatives.indices.flatMap { number -> [Weakening] in
            let parts = alternatives[number]
            let place = "alternative \(number + 1)"
            func with(_ replaced: [[Requirement]]) -> Requirement {
                .anyOf(Array(alternatives[..<number]) + replaced + Array(alternatives[(number + 1)...]))
            }
            let apart =
                parts.count > 1
                ? [Weakening(text: "\(place) as alternatives", requirement: with(parts.map { [$0] }))] : []
            return apart
                + parts.indices.flatMap { index in
                    parts[index].weakenings(seen).compactMap { weakening -> Weakening? in
                        let rest = parts.without(index)
                        guard let lesser = weakening.requirement else {
                            return rest.isEmpty
                                ? nil
                                : Weakening(text: "\(place) \(weakening.text)", requirement: with([rest]), isDrop: true)
                        }
                        let alternative = (rest + [lesser]).inJudgingOrder
                        return Weakening(
                            text: "\(place) \(weakening.text)", requirement: with([alternative]),
                            isDrop: weakening.isDrop)
                    }
                }
        }
    }

    /// What the file calls it.
    var nameInFile: String {
        switch self {
        case .allScopes(let scopes): "scope \(scopes.joined(separator: " "))"
        case .anyScope(let scopes): "any of the scopes \(scopes.joined(separator: " "))"
        case .scope(let scope, _): "scope \(scope)"
        case .anyRole: "roles"
        case .claim(let path, _), .claimMatching(let path, _): "claim \(path)"
        case .claimOtherThan(let path, _): "not \(path)"
        case .noClaims: "absent"
        case .issuer: "issuer"
        case .client: "clients"
        case .organization: "organization"
        case .authenticationContext: "acr"
        case .maxAge: "max_age"
        case .anyOf: "any_of"
        }
    }

    /// The scopes of which one is enough, for each that it asks for; none if it asks for something else.
    private var scopeChoices: [Set<[UInt8]>] {
        switch self {
        case .allScopes(let scopes): scopes.map { [Array($0.utf8)] }
        case .anyScope(let scopes): [Set(scopes.map { Array($0.utf8) })]
        case .scope(let scope, let others): [Set(([scope] + others).map { Array($0.utf8) })]
        default: []
        }
    }

    /// Whether every token that meets the others has the scopes that it asks for: then nobody can tell that it is not
    /// there.
    func isImplied(by others: [Requirement]) -> Bool {
        let own = scopeChoices
        let given = others.flatMap(\.scopeChoices)
        return !own.isEmpty && own.allSatisfy { choice in given.contains { $0.isSubset(of: choice) } }
    }
}

extension Array {
    func without(_ index: Int) -> [Element] {
        var rest = self
        if rest.indices.contains(index) { rest.remove(at: index) }
        return rest
    }
}
