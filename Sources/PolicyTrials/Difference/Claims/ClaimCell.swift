import ConfigurationFile
import StrictJSON
import TokenVerification

/// One claim of a token that is looked for, with all that is wanted of it.
struct ClaimCell: Hashable {
    /// The way to it, for texts that nothing lists.
    let name: String
    private(set) var literals: Set<ClaimLiteral> = []

    mutating func add(_ literal: ClaimLiteral) { literals.insert(literal) }

    func isMet(by value: ClaimValue?) -> Bool { literals.allSatisfy { $0.isMet(by: value) } }

    private var contradictsItself: Bool {
        literals.contains { literals.contains(ClaimLiteral(test: $0.test, holds: !$0.holds)) }
    }

    /// The least value that meets everything: nothing at all, else a single value, else an array.
    func solution() -> ClaimSolution {
        if isMet(by: nil) { return .missing }
        guard !contradictsItself else { return .impossible }
        // Sorted, so that the same question has the same answer.
        let literals = literals.sorted { "\($0)" < "\($1)" }
        let found = ClaimCandidates(named: name, for: literals)
        let candidates = found.values
        if let value = candidates.first(where: isMet) { return .value(value) }
        if let empty = ClaimValue(.array([])), isMet(by: empty) { return .value(empty) }
        return array(of: candidates, literals).map { .value($0) } ?? (found.areCutShort ? .undecided : .impossible)
    }

    /// An element for each thing that one element is enough for, among those that nothing else forbids.
    private func array(of candidates: [ClaimValue], _ literals: [ClaimLiteral]) -> ClaimValue? {
        let wanted = literals.filter(\.needsOneElement)
        let others = literals.filter { !$0.needsOneElement }
        guard !wanted.isEmpty else { return nil }
        let onlyTexts = wanted.contains { if case .addressed = $0.test { true } else { false } }
        let elements = candidates.compactMap { candidate -> (element: StatedValue, alone: ClaimValue)? in
            if onlyTexts, candidate.json.kind != .string { return nil }
            guard let alone = ClaimValue(.array([candidate.stated])) else { return nil }
            return others.allSatisfy { $0.isMet(by: alone) } ? (candidate.stated, alone) : nil
        }
        var chosen: [StatedValue] = []
        for literal in wanted {
            guard let fitting = elements.first(where: { literal.isMet(by: $0.alone) }) else { return nil }
            if !chosen.contains(fitting.element) { chosen.append(fitting.element) }
        }
        return ClaimValue(.array(chosen)).flatMap { isMet(by: $0) ? $0 : nil }
    }
}

/// Result of the search for a value.
enum ClaimSolution {
    case missing
    case value(ClaimValue)
    /// No value meets all that is wanted.
    case impossible
    /// Nobody knows: what could be tried is too much.
    case undecided
}
