import AccessControl
import TokenVerification

/// A rule's requirements, compiled for judging cached tokens: bit masks over a token's facts, and steps that depend on
/// time or path. A class, so that requests share it.
final class RecordPolicy: Sendable {
    /// One compiled requirement, with the denial of a token that does not meet it.
    struct Step: Sendable {
        enum Form: Sendable {
            case all(TokenAtoms)
            case any(TokenAtoms)
            case organization(parameter: String)
            /// Longest time since the user signed in, in seconds.
            case maxAge(Double)
            /// At least one alternative must hold; all steps of an alternative must.
            case alternatives([[Step]])
        }

        let form: Form
        /// Denial if the step is not met. For alternatives, the first alternative's unmet step decides instead.
        let denial: Denial
        /// Index of the requirement in the rule, or in its alternative.
        let index: Int
    }

    /// All facts that every permitted token must have. If a token has them, only `openSteps` must be checked.
    let needed: TokenAtoms
    /// Steps of all requirements, in the order in which they are judged.
    let steps: [Step]
    /// Steps that the mask `needed` does not decide.
    let openSteps: [Step]
    let asksForOrganization: Bool
    let mentionsOrganization: Bool

    init(_ policy: AccessPolicy, _ catalogue: inout TokenAtomCatalogue) {
        var needed = TokenAtoms([])
        var (steps, openSteps): ([Step], [Step]) = ([], [])
        for step in Self.steps(policy.requirements ?? [], &catalogue) {
            steps.append(step)
            if case .all(let atoms) = step.form { needed.formUnion(atoms) } else { openSteps.append(step) }
        }
        (self.needed, self.steps, self.openSteps) = (needed, steps, openSteps)
        asksForOrganization = policy.asksForOrganization
        mentionsOrganization = policy.mentionsOrganization
    }

    private static func steps(_ requirements: [Requirement], _ catalogue: inout TokenAtomCatalogue) -> [Step] {
        var steps: [Step] = []
        for (index, requirement) in requirements.enumerated() {
            steps.append(Step(form: form(requirement, &catalogue), denial: requirement.kind, index: index))
        }
        return steps
    }

    private static func form(_ requirement: Requirement, _ catalogue: inout TokenAtomCatalogue) -> Step.Form {
        switch requirement {
        case .all(let facts): .all(TokenAtoms(facts.map { catalogue.atom($0) }))
        case .any(let facts): .any(TokenAtoms(facts.map { catalogue.atom($0) }))
        case .organization(inPath: let name): .organization(parameter: name)
        case .maxAge(let limit): .maxAge(limit.inSeconds)
        case .anyOf(let alternatives):
            .alternatives(alternatives.reduce(into: []) { $0.append(steps($1, &catalogue)) })
        }
    }
}

/// Facts that a configuration asks about, numbered in order of appearance.
struct TokenAtomCatalogue: Sendable {
    private(set) var atoms: [TokenFact: TokenAtom] = [:]
    private var count = 0

    mutating func atom(_ fact: TokenFact) -> TokenAtom {
        if let known = atoms[fact] { return known }
        let atom = next()
        atoms[fact] = atom
        return atom
    }

    mutating func next() -> TokenAtom {
        defer { count += 1 }
        return TokenAtom(number: count)
    }
}
