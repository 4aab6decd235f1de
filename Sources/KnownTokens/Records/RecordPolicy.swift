import AccessControl
import TokenVerification

/// A rule's requirements in the form in which a known token is judged by them: masks over its facts, and what time and
/// path decide. A class, so that requests share it.
final class RecordPolicy: Sendable {
    /// A requirement, and what its token lacks that does not meet it.
    struct Step: Sendable {
        enum Form: Sendable {
            case all(TokenAtoms)
            case any(TokenAtoms)
            case organization(parameter: String)
            /// In seconds.
            case maxAge(Double)
            /// One of these, each of which is steps that must all be met.
            case alternatives([[Step]])
        }

        let form: Form
        /// Of alternatives, that of the first one's parts which is not met decides.
        let denial: Denial
        /// Its index among the rule's requirements, or those of its alternative.
        let index: Int
    }

    /// All that masks ask of every token that is permitted, so that most steps need not be taken for it.
    let needed: TokenAtoms
    /// Each requirement, in the order in which they are judged.
    let steps: [Step]
    /// Those of them that the mask does not settle.
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

/// The facts that a configuration asks for, numbered as they are met.
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
