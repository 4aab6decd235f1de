/// Targets that last answered the requests of each rule well. Two are kept, so that for each target another one is
/// known.
struct GoodAnswers: Sendable {
    /// Time in nanoseconds for which a good answer shows that another target's failure is that target's own fault.
    private static let lifetime: Int64 = 60_000_000_000
    /// Largest number of rules kept. With one more, all are dropped, and learnt again within a second.
    private static let mostRules = 100_000
    /// Time in nanoseconds for which a target's further answers to a rule are not recorded again.
    private static let interval: Int64 = 1_000_000_000

    private struct Answer: Sendable {
        var target: Int
        var time: Int64
    }

    /// Targets recorded for one rule in the current interval. If two rules share an entry, the later one has it.
    private struct Noted: Sendable {
        var rule = Int.min
        var targets = TargetSet()
        var until: Int64 = 0
    }

    private var answers: [Int: (latest: Answer, other: Answer?)] = [:]
    private var noted = [Noted](repeating: Noted(), count: 64)

    mutating func note(rule: Int, target: Int, at now: Int64) {
        let line = rule & (noted.count &- 1)
        let isPresent = noted[line].rule == rule && now < noted[line].until
        guard !isPresent || !noted[line].targets.contains(target) else { return }
        if !isPresent { noted[line] = Noted(rule: rule, until: now &+ Self.interval) }
        noted[line].targets.insert(target)
        remember(rule: rule, target: target, at: now)
    }

    private mutating func remember(rule: Int, target: Int, at now: Int64) {
        guard var known = answers[rule] else {
            if answers.count >= Self.mostRules { answers.removeAll() }
            return answers[rule] = (Answer(target: target, time: now), nil)
        }
        if known.latest.target != target { known.other = known.latest }
        known.latest = Answer(target: target, time: now)
        answers[rule] = known
    }

    func has(rule: Int, otherThan target: Int, at now: Int64) -> Bool {
        guard let known = answers[rule] else { return false }
        return [known.latest, known.other].contains {
            $0.map { $0.target != target && now &- $0.time < Self.lifetime } ?? false
        }
    }
}
