import TokenVerification

/// Finds the shortest text that all required rules accept and no forbidden rule accepts.
///
/// The result is exact. A rule depends only on its progress through the text, so each combination of progress is tried
/// once. One character that no rule names represents all such characters.
struct TextSearch {
    /// Rule that a text must meet, or must not meet.
    enum Rule {
        case pattern(ClaimPattern)
        case literal(String)
        /// One or more path segments below this path (`ClaimTest.below`).
        case below(String)
    }

    let required: [Rule]
    let forbidden: [Rule]

    /// Maximum number of combinations of progress that are tried.
    static let mostStates = 50_000

    /// Progress of each rule. Nil for a rule that accepts no text with this beginning.
    private typealias State = [RuleProgress?]

    enum Outcome: Equatable {
        case found(String)
        case none
        /// Unknown: there are too many combinations.
        case undecided
    }

    func shortest() -> Outcome {
        let rules = required + forbidden
        let symbols = Self.symbols(rules)
        let start: State = rules.map(\.start)
        var seen: Set<State> = [start]
        var queue: [(state: State, text: String)] = [(start, "")]
        var next = 0
        while next < queue.count {
            guard seen.count <= Self.mostStates else { return .undecided }
            let (state, text) = queue[next]  // in bounds: the loop's condition
            next += 1
            for symbol in symbols {
                guard let state = advanced(state, over: symbol, rules), seen.insert(state).inserted else { continue }
                let text = text + String(symbol)
                if isGood(state, rules) { return .found(text) }
                queue.append((state, text))
            }
        }
        return .none
    }

    /// Returns the state after one more character. Nil if a required rule accepts no text with this beginning.
    private func advanced(_ state: State, over symbol: Unicode.Scalar, _ rules: [Rule]) -> State? {
        var state = state
        for byte in String(symbol).utf8 {
            state = zip(rules, state).map { rule, progress in progress.flatMap { rule.advanced($0, over: byte) } }
        }
        return state.prefix(required.count).contains { $0 == nil } ? nil : state
    }

    private func isGood(_ state: State, _ rules: [Rule]) -> Bool {
        let accepted = zip(rules, state).map { rule, progress in progress.map(rule.accepts) ?? false }
        return accepted.prefix(required.count).allSatisfy { $0 } && !accepted.dropFirst(required.count).contains(true)
    }

    /// Characters to try: one that no rule names, those that wildcards distinguish, and those that rules name.
    private static func symbols(_ rules: [Rule]) -> [Unicode.Scalar] {
        let named = Set(rules.flatMap { Array($0.text.unicodeScalars) })
        let other = "xyzabcdefghijklmnopqrstuvw0123456789".unicodeScalars.first { !named.contains($0) } ?? "~"
        return [other] + named.union(["x", "/", ":", "."]).subtracting([other]).sorted { $0.value < $1.value }
    }
}

/// Progress of one rule through a text.
private enum RuleProgress: Hashable {
    case pattern(ClaimPattern.Progress)
    /// Number of bytes of the literal text that have matched.
    case literal(Int)
    /// The prefix has matched. State of the last path segment so far.
    case segment(Segment)

    enum Segment: Hashable { case empty, dot, twoDots, name }
}

extension TextSearch.Rule {
    fileprivate var text: String {
        switch self {
        case .pattern(let pattern): pattern.description
        case .literal(let text), .below(let text): text
        }
    }

    fileprivate var start: RuleProgress? {
        switch self {
        case .pattern(let pattern): .pattern(pattern.start)
        case .literal, .below: .literal(0)
        }
    }

    fileprivate func advanced(_ progress: RuleProgress, over byte: UInt8) -> RuleProgress? {
        switch (self, progress) {
        case (.pattern(let pattern), .pattern(let progress)):
            pattern.advanced(progress, over: byte).map { .pattern($0) }
        case (.literal(let text), .literal(let count)):
            text.utf8.dropFirst(count).first == byte ? .literal(count + 1) : nil
        case (.below(let start), .literal(let count)) where count < start.utf8.count:
            start.utf8.dropFirst(count).first == byte ? .literal(count + 1) : nil
        case (.below, .literal): byte == UInt8(ascii: "/") ? .segment(.empty) : nil
        case (.below, .segment(let segment)): segment.advanced(over: byte).map { .segment($0) }
        default: nil
        }
    }

    fileprivate func accepts(_ progress: RuleProgress) -> Bool {
        switch (self, progress) {
        case (.pattern, .pattern(let progress)): progress.isMatched
        case (.literal(let text), .literal(let count)): count == text.utf8.count
        case (.below, .segment(let segment)): segment == .name
        default: false
        }
    }
}

extension RuleProgress.Segment {
    /// Returns the state after one more byte. Nil if the segment becomes invalid. An empty segment is valid at the end
    /// only.
    fileprivate func advanced(over byte: UInt8) -> Self? {
        switch byte {
        case UInt8(ascii: "/"): self == .name ? .empty : nil
        case UInt8(ascii: "."):
            switch self {
            case .empty: .dot
            case .dot: .twoDots
            case .twoDots, .name: .name
            }
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): .name
        default: nil
        }
    }
}
