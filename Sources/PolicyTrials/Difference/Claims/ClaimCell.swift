import ConfigurationFile
import StrictJSON
import TokenVerification

/// One claim of the token that a search looks for, with all tests of that claim.
struct ClaimCell: Hashable {
    /// Path of the claim with dots between the names, used to make up texts that no test lists.
    let name: String
    /// True if the path leads to a claim of every element of an array. Values are then lists of those claims.
    let isMultiple: Bool
    private(set) var literals: Set<ClaimLiteral> = []

    mutating func add(_ literal: ClaimLiteral) { literals.insert(literal) }

    func isMet(by value: ClaimValue?) -> Bool { literals.allSatisfy { isMet($0, by: value) } }

    private func isMet(_ literal: ClaimLiteral, by value: ClaimValue?) -> Bool {
        isMultiple ? literal.isMet(byClaims: value) : literal.isMet(by: value)
    }

    private var contradictsItself: Bool {
        literals.contains { literals.contains(ClaimLiteral(test: $0.test, holds: !$0.holds)) }
    }

    /// Finds the smallest solution: no claim, otherwise a single value, otherwise an array.
    func solution() -> ClaimSolution {
        if isMet(by: nil) { return .missing }
        guard !contradictsItself else { return .impossible }
        // Sorted, so that the result is always the same.
        let literals = literals.sorted { "\($0)" < "\($1)" }
        let found = ClaimCandidates(named: name, for: literals)
        let candidates = found.values
        if let value = candidates.first(where: isMet) { return .value(value) }
        if let empty = ClaimValue(.array([])), isMet(by: empty) { return .value(empty) }
        return array(of: candidates, literals).map { .value($0) } ?? (found.areCutShort ? .undecided : .impossible)
    }

    /// An array in which each test that one element can satisfy has an element. Elements that another test forbids are
    /// not used. Nil if there is no such array.
    private func array(of candidates: [ClaimValue], _ literals: [ClaimLiteral]) -> ClaimValue? {
        let wanted = literals.filter(\.needsOneElement)
        let others = literals.filter { !$0.needsOneElement }
        guard !wanted.isEmpty else { return nil }
        let onlyTexts = wanted.contains { if case .addressed = $0.test { true } else { false } }
        let elements = candidates.compactMap { candidate -> (element: StatedValue, alone: ClaimValue)? in
            if onlyTexts, candidate.json.kind != .string { return nil }
            guard let alone = ClaimValue(.array([candidate.stated])) else { return nil }
            return others.allSatisfy { isMet($0, by: alone) } ? (candidate.stated, alone) : nil
        }
        var chosen: [StatedValue] = []
        for literal in wanted {
            guard let fitting = elements.first(where: { isMet(literal, by: $0.alone) }) else { return nil }
            if !chosen.contains(fitting.element) { chosen.append(fitting.element) }
        }
        return ClaimValue(.array(chosen)).flatMap { isMet(by: $0) ? $0 : nil }
    }
}

/// Result of the search for a value.
enum ClaimSolution {
    case missing
    case value(ClaimValue)
    /// No value meets all tests.
    case impossible
    /// Unknown: there are too many combinations to try.
    case undecided
}
