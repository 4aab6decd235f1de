import AccessControl
import TokenVerification

/// A requirement that asks for less.
struct Weakening {
    /// Description of the change: `without roles`.
    let text: String
    /// The weakened requirement. Nil if it was removed.
    let requirement: Requirement?
    /// Whether a part of it is not there, rather than satisfied more easily.
    var isDrop = false
}

extension Weakening {
    /// Any of something will do.
    init(any what: String, _ requirement: Requirement) {
        self.init(text: "with any \(what)", requirement: requirement)
    }
}

extension Requirement {
    /// The ways in which it can ask for less, that it is not there first.
    func weakenings(_ seen: SeenTokens) -> [Weakening] {
        [Weakening(text: "without \(nameInFile)", requirement: nil, isDrop: true)] + lesser(seen)
    }

    private func lesser(_ seen: SeenTokens) -> [Weakening] {
        switch self {
        case .all(let facts): facts.count > 1 ? fewer(facts) : facts.flatMap { $0.lesser(seen) }
        case .any: [Weakening(any: "scope", .anyScope(scopes + seen.names(of: .scope)))]
        case .organization:
            [Weakening(any: "organization", .organization(oneOf: seen.names(of: .organization)))]
        case .maxAge: [Weakening(any: "sign-in, however old", .maxAge(Self.everSince))]
        case .anyOf(let alternatives): Self.lesser(alternatives, seen)
        }
    }

    private static let everSince = Duration.seconds(10 * 365 * 86_400)

    /// Weakenings that leave out one of several facts, or for which one of several scopes is enough.
    private func fewer(_ facts: [TokenFact]) -> [Weakening] {
        let fewer = facts.indices.map { index in
            let (text, isDrop) =
                switch facts[index] {
                case .claim(let path, _): ("with \(path) permitted", false)
                case .named(let attribute, let names):
                    ("without \(attribute.text) \(names.map(\.description).joined(separator: " "))", true)
                }
            return Weakening(text: text, requirement: .all(facts.without(index)), isDrop: isDrop)
        }
        return scopes.isEmpty ? fewer : fewer + [Weakening(text: "any_of for all_of", requirement: .any(facts))]
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

    /// The scopes of which one is enough, for each that it asks for; none if it asks for something else.
    private var scopeChoices: [Set<[UInt8]>] {
        let choices = facts.compactMap { fact -> Set<[UInt8]>? in
            guard case .named(.scope, let names) = fact else { return nil }
            return Set(names.map { Array($0.description.utf8) })
        }
        if case .any = self { return [choices.reduce([]) { $0.union($1) }] }
        return choices
    }

    /// Whether every token that meets the others has the scopes that it asks for: then nobody can tell that it is not
    /// there.
    func isImplied(by others: [Requirement]) -> Bool {
        let own = scopeChoices
        let given = others.flatMap(\.scopeChoices)
        return !own.isEmpty && own.allSatisfy { choice in given.contains { $0.isSubset(of: choice) } }
    }
}

extension TokenFact {
    /// The ways in which more tokens meet it.
    fileprivate func lesser(_ seen: SeenTokens) -> [Weakening] {
        switch self {
        // Of a resource that takes no others it asks for nothing, and of others nobody knows the names.
        case .named(.issuer, _): return []
        case .named(let attribute, let names):
            let more = names + seen.names(of: attribute).map { .string($0) }
            if attribute == .scope, names.count == 1 {
                return [Weakening(any: "scope", .any(more.map { .named(.scope, [$0]) }))]
            }
            let what = attribute == .scope ? "scope for \(names.first?.description ?? "")" : attribute.text
            return [Weakening(any: what, .all([.named(attribute, more)]))]
        case .claim(let path, .held(let choice)):
            let more = ClaimChoice(values: choice.values + seen.values(at: path), patterns: choice.patterns)
            return [Weakening(any: "value of \(path)", .claimMatching(path, more))]
        case .claim(let path, .excluded(let choice)):
            return choice.lesser.map {
                Weakening(text: "with \(path) \($0.text) permitted", requirement: .claimOtherThan(path, $0.rest))
            }
        case .claim: return []
        }
    }
}

extension ClaimChoice {
    /// Smaller choices: each value alone, and the others.
    fileprivate var lesser: [(text: String, rest: ClaimChoice)] {
        guard values.count + patterns.count > 1 else { return [] }
        return values.indices.map {
            (values[$0].description, ClaimChoice(values: values.without($0), patterns: patterns))
        }
            + patterns.indices.map {
                (patterns[$0].description, ClaimChoice(values: values, patterns: patterns.without($0)))
            }
    }
}

extension Array {
    func without(_ index: Int) -> [Element] {
        var rest = self
        if rest.indices.contains(index) { rest.remove(at: index) }
        return rest
    }
}
