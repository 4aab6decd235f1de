import AccessControl
import TokenVerification

/// A weaker version of a requirement.
struct Weakening {
    /// Description of the change, such as `without roles`.
    let text: String
    /// The weakened requirement. Nil if it was removed.
    let requirement: Requirement?
    /// Whether the change removes a requirement or a part of it, instead of accepting more values.
    var isDrop = false
}

extension Weakening {
    /// Makes a weakening that accepts any value of one kind, such as `scope`.
    init(any what: String, _ requirement: Requirement) {
        self.init(text: "with any \(what)", requirement: requirement)
    }
}

extension Requirement {
    /// Weaker versions of the requirement; its removal comes first.
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

    /// Weaker versions that leave out one of several facts, or that require only one of several scopes.
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

    /// Weaker versions of a requirement with alternatives: a part of an alternative is weakened, or all its parts
    /// become separate alternatives.
    ///
    /// An alternative without parts would permit everything, as without the requirement, so an only part is not
    /// removed.
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

    /// Sets of scopes of which one is enough; the requirement needs one of each set. Empty if it requires something
    /// else.
    private var scopeChoices: [Set<[UInt8]>] {
        let choices = facts.compactMap { fact -> Set<[UInt8]>? in
            guard case .named(.scope, let names) = fact else { return nil }
            return Set(names.map { Array($0.description.utf8) })
        }
        if case .any = self { return [choices.reduce([]) { $0.union($1) }] }
        return choices
    }

    /// Whether every token that meets the other requirements has the required scopes. No test can then notice that the
    /// requirement is missing.
    func isImplied(by others: [Requirement]) -> Bool {
        let own = scopeChoices
        let given = others.flatMap(\.scopeChoices)
        return !own.isEmpty && own.allSatisfy { choice in given.contains { $0.isSubset(of: choice) } }
    }
}

extension TokenFact {
    /// Weaker versions, which more tokens meet.
    fileprivate func lesser(_ seen: SeenTokens) -> [Weakening] {
        switch self {
        // Names of other issuers are unknown, and the requirement changes nothing if the resource accepts no others.
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
    /// Choices with one value or pattern left out, each with the description of that value or pattern. Empty for a
    /// single one.
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
