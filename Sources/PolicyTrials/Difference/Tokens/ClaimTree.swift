import ConfigurationFile
import StrictJSON
import TokenVerification

/// Tree of the claims that a search looks for, nested as in the claims set.
struct ClaimTree {
    private var own: ClaimCell?
    private var members: [[UInt8]: ClaimTree] = [:]

    init(_ cells: [ClaimLocation: ClaimCell]) {
        for (location, cell) in cells { insert(cell, at: location.names[...]) }
    }

    private init() {}

    private mutating func insert(_ cell: ClaimCell, at names: ArraySlice<[UInt8]>) {
        guard let name = names.first else { return own = cell }
        members[name, default: ClaimTree()].insert(cell, at: names.dropFirst())
    }

    /// Solves all claims and returns the members of the claims set. Nil if no claims meet all tests.
    func solvedMembers(_ solve: (ClaimCell) -> ClaimSolution) -> [StatedMember]? {
        var solved: [StatedMember] = []
        for (name, member) in members.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            switch member.solution(solve) {
            case .impossible, .undecided: return nil
            case .missing: continue
            case .value(let value): solved.append(StatedMember(String(decoding: name, as: UTF8.self), value.stated))
            }
        }
        return solved
    }

    private func solution(_ solve: (ClaimCell) -> ClaimSolution) -> ClaimSolution {
        guard !members.isEmpty else { return own.map(solve) ?? .missing }
        if isMet(by: nil), members.values.allSatisfy(\.isMetByNothing) { return .missing }
        if let inner = solvedMembers(solve), let object = ClaimValue(.object(inner)), isMet(by: object) {
            return .value(object)
        }
        // A value without members hides the claims within, so tests cannot find them absent either.
        guard let own, members.values.allSatisfy(\.isMetBehindValue) else { return .impossible }
        let solution = solve(own)
        if case .value(let value) = solution, value.json.kind != .object { return solution }
        return .impossible
    }

    private func isMet(by value: ClaimValue?) -> Bool { own?.isMet(by: value) ?? true }

    private var isMetByNothing: Bool { isMet(by: nil) && members.values.allSatisfy(\.isMetByNothing) }

    private var isMetBehindValue: Bool {
        let own = own?.literals.allSatisfy { literal in
            literal.test == .missing ? !literal.holds : literal.isMet(by: nil)
        }
        return (own ?? true) && members.values.allSatisfy(\.isMetBehindValue)
    }
}
