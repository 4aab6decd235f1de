import ConfigurationFile
import TokenVerification

/// Finds the least token that is as formulas want it.
///
/// Of alternatives one after another is taken, those with the fewest first, and what contradicts itself is given up at
/// once.
final class TokenSearch {
    /// When tokens are judged, in seconds since 1970.
    private let now: Int64
    private var solutions: [ClaimCell: ClaimSolution] = [:]
    private var headers: [Set<Wanted<HeaderTest>>: TokenHeader?] = [:]
    /// Of tokens whose times nothing else is wanted of.
    private var times: [Set<Wanted<TimeTest>>: TokenTimes?] = [:]
    private var steps = 0
    /// Whether a bound was hit.
    private var isCutShort = false

    /// More steps than this are not made for one token.
    static let mostSteps = 20_000

    private let mostSteps: Int

    init(at now: Int64, mostSteps: Int = TokenSearch.mostSteps) {
        self.now = now
        self.mostSteps = mostSteps
    }

    enum Outcome {
        case found(LeastToken)
        /// There is none.
        case none
        /// Nobody knows: the alternatives are too many.
        case undecided
    }

    /// - Parameter formulas: all of which must hold.
    func token(_ formulas: [Formula]) -> Outcome {
        (steps, isCutShort) = (0, false)
        if let token = token(formulas, TokenDraft()) { return .found(token) }
        return isCutShort ? .undecided : .none
    }

    private func token(_ formulas: [Formula], _ draft: TokenDraft) -> LeastToken? {
        steps += 1
        guard steps <= mostSteps else {
            isCutShort = true
            return nil
        }
        var draft = draft
        guard var open = Self.alternatives(in: formulas, &draft), let token = solved(draft) else { return nil }
        guard let (index, options) = open.enumerated().min(by: { $0.element.count < $1.element.count }) else {
            return withEqualClaims(draft, token)
        }
        open.remove(at: index)
        for option in options {
            if let found = self.token(open.map { .any($0) } + [option], draft) { return found }
        }
        return nil
    }

    /// Adds what has no alternatives, and answers with what has; nil: it cannot be.
    private static func alternatives(in formulas: [Formula], _ draft: inout TokenDraft) -> [[Formula]]? {
        var alternatives: [[Formula]] = []
        var open = formulas
        while let formula = open.popLast() {
            switch formula {
            case .always(true): continue
            case .always(false): return nil
            case .all(let parts): open += parts
            case .any(let options):
                let options = options.filter { $0 != .always(false) }
                if options.contains(.always(true)) { continue }
                if options.count == 1 { open += options } else { alternatives.append(options) }
            case .claim(let location, let test, let holds): draft.add(test, of: location, holds: holds)
            case .header(let test, let holds): draft.add(test, holds: holds)
            case .times(let test, let holds): draft.add(test, holds: holds)
            case .same(let one, let other, holds: true): draft.addEqual(one, other)
            // Claims that nothing wants to be the same get texts of their own.
            case .same: continue
            }
        }
        return alternatives
    }

    private func withEqualClaims(_ draft: TokenDraft, _ token: LeastToken) -> LeastToken? {
        var draft = draft
        guard let (one, other) = draft.removeEqual() else { return token }
        for text in draft.listedTexts(of: one) + draft.listedTexts(of: other) + ["any-client"] {
            let value = ClaimTest.exact([.string(text)])
            let both = [Formula.claim(one, value, holds: true), .claim(other, value, holds: true)]
            if let found = self.token(both, draft) { return found }
        }
        return nil
    }

    /// nil: nothing is as wanted.
    private func solved(_ draft: TokenDraft) -> LeastToken? {
        guard let header = header(draft.header) else { return nil }
        let timeClaims = draft.claims.filter { TokenTimes.have($0.key) }
        guard let times = times(draft.times, timeClaims),
            let members = ClaimTree(draft.claims.filter { !TokenTimes.have($0.key) }).solvedMembers(solution)
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

    private func times(_ wanted: Set<Wanted<TimeTest>>, _ claims: [ClaimLocation: ClaimCell]) -> TokenTimes? {
        if claims.isEmpty, let known = times[wanted] { return known }
        let solution = TokenTimes.solution(wanted.sorted { "\($0)" < "\($1)" }, claims, at: now)
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
