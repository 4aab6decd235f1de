/// Which targets last answered the requests of each rule well: two of them, so that for each target another one is known.
struct GoodAnswers: Sendable {
    /// For so long a good answer says that a failing one is its target's fault.
    private static let lifetime: Int64 = 60_000_000_000
    /// Rules that are remembered; of one more, all are forgotten, and learnt again within a second.
    private static let mostRules = 100_000

    private struct Answer: Sendable {
        var target: Int
        var time: Int64
    }

    private var answers: [Int: (latest: Answer, other: Answer?)] = [:]

    mutating func note(rule: Int, target: Int, at now: Int64) {
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
        return [known.latest, known.other].contains { $0.map { $0.target != target && now &- $0.time < Self.lifetime } ?? false }
    }
}
