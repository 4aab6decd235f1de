import ConfigurationFile
import TokenVerification

/// Finds the smallest token that meets a list of tests.
///
/// It backtracks over the alternatives: the test with the fewest comes first, and a draft that contradicts itself is
/// abandoned at once.
final class TokenSearch {
    /// Time at which tokens are judged, in seconds since 1970.
    private let now: Int64
    private var solutions: [ClaimCell: ClaimSolution] = [:]
    private var headers: [Set<Wanted<HeaderTest>>: TokenHeader?] = [:]
    /// Cache of solved times, by their tests. Only for tokens without other tests of these claims.
    private var times: [Set<Wanted<TimeTest>>: LeastTimes?] = [:]
    private var steps = 0
    /// Whether the current search hit a limit.
    private var isCutShort = false

    /// Maximum number of steps in the search for one token.
    static let mostSteps = 20_000

    private let mostSteps: Int

    init(at now: Int64, mostSteps: Int = TokenSearch.mostSteps) {
        self.now = now
        self.mostSteps = mostSteps
    }

    enum Outcome {
        case found(LeastToken)
        /// No token meets the tests.
        case none
        /// Unknown: there are too many alternatives.
        case undecided
    }

    /// Searches for the smallest token that meets all tests.
    func token(_ tests: [TokenTest]) -> Outcome {
        (steps, isCutShort) = (0, false)
        if let draft = draft(tests, TokenDraft()), let token = withEqualClaims(draft) { return .found(token) }
        return isCutShort ? .undecided : .none
    }

    /// Extends a draft by tests, so that a token meets it. Nil if no token meets it and all tests.
    private func draft(_ tests: [TokenTest], _ draft: TokenDraft) -> TokenDraft? {
        steps += 1
        guard steps <= mostSteps else {
            isCutShort = true
            return nil
        }
        var draft = draft
        guard let open = Self.alternatives(in: tests, &draft), solved(draft) != nil else { return nil }
        let groups = Self.independent(open)
        guard groups.count <= 1 else {
            // A choice in one group does not affect the others, so each group is solved alone.
            for group in groups {
                guard let next = self.draft(group.map { .any($0) }, draft) else { return nil }
                draft = next
            }
            return draft
        }
        guard let (index, options) = open.enumerated().min(by: { $0.element.count < $1.element.count }) else {
            return draft
        }
        var others = open
        others.remove(at: index)
        for option in options {
            if let found = self.draft(others.map { .any($0) } + [option], draft) { return found }
        }
        return nil
    }

    /// Divides alternatives into groups without a common claim; the smallest group comes first.
    private static func independent(_ alternatives: [[TokenTest]]) -> [[[TokenTest]]] {
        var groups: [(parts: Set<TokenTest.Part>, alternatives: [[TokenTest]])] = []
        for options in alternatives {
            var joined = (parts: Set(options.flatMap(\.parts)), alternatives: [options])
            for group in groups where !group.parts.isDisjoint(with: joined.parts) {
                joined.parts.formUnion(group.parts)
                joined.alternatives = group.alternatives + joined.alternatives
            }
            groups = groups.filter { $0.parts.isDisjoint(with: joined.parts) } + [joined]
        }
        return groups.map(\.alternatives).sorted { $0.count < $1.count }
    }

    /// Adds tests without alternatives to the draft, and returns the alternatives of the others. Nil if the tests
    /// contradict each other.
    private static func alternatives(in tests: [TokenTest], _ draft: inout TokenDraft) -> [[TokenTest]]? {
        var alternatives: [[TokenTest]] = []
        var open = tests
        while let test = open.popLast() {
            switch test {
            case .always(true): continue
            case .always(false): return nil
            case .all(let parts): open += parts
            case .any(let options):
                let options = options.filter { $0 != .always(false) }
                if options.contains(.always(true)) { continue }
                if options.count == 1 { open += options } else { alternatives.append(options) }
            case .claim(let path, let test, let holds): draft.add(test, of: ClaimLocation(path), holds: holds)
            case .first(let paths, let test): open.append(.each(of: paths, test))
            case .header(let test, let holds): draft.add(test, holds: holds)
            case .times(let test, let holds): draft.add(test, holds: holds)
            case .same(let one, let other, holds: true): draft.addEqual(ClaimLocation(one), ClaimLocation(other))
            // Claims that need not be equal get different texts anyway.
            case .same: continue
            }
        }
        return alternatives
    }

    private func withEqualClaims(_ draft: TokenDraft) -> LeastToken? {
        var draft = draft
        guard let (one, other) = draft.removeEqual() else { return solved(draft) }
        for text in draft.listedTexts(of: one) + draft.listedTexts(of: other) + ["any-client"] {
            var both = draft
            both.add(.exact([.string(text)]), of: one, holds: true)
            both.add(.exact([.string(text)]), of: other, holds: true)
            if let next = self.draft([], both), let found = withEqualClaims(next) { return found }
        }
        return nil
    }

    /// The least token that meets the draft. Nil if there is none.
    private func solved(_ draft: TokenDraft) -> LeastToken? {
        guard let header = header(draft.header) else { return nil }
        let timeClaims = draft.claims.filter { LeastTimes.have($0.key) }
        guard let times = times(draft.times, timeClaims),
            let members = ClaimTree(draft.claims.filter { !LeastTimes.have($0.key) }).solvedMembers(
                solution, giveUp: { isCutShort = true })
        else { return nil }
        let issuer = members.filter { $0.name == "iss" }
        return LeastToken(header: header, members: issuer + members.filter { $0.name != "iss" } + times.members)
    }

    private func header(_ wanted: Set<Wanted<HeaderTest>>) -> TokenHeader? {
        if let known = headers[wanted] { return known }
        let solution = TokenHeader.solution(wanted.sorted { "\($0)" < "\($1)" })
        headers[wanted] = .some(solution)
        return solution
    }

    private func times(_ wanted: Set<Wanted<TimeTest>>, _ claims: [ClaimLocation: ClaimCell]) -> LeastTimes? {
        if claims.isEmpty, let known = times[wanted] { return known }
        let solution = LeastTimes.solution(wanted.sorted { "\($0)" < "\($1)" }, claims, at: now)
        if claims.isEmpty { times[wanted] = .some(solution) }
        return solution
    }

    private func solution(of cell: ClaimCell) -> ClaimSolution {
        let solution = solutions[cell] ?? cell.solution()
        solutions[cell] = solution
        if case .undecided = solution { isCutShort = true }
        return solution
    }
}
