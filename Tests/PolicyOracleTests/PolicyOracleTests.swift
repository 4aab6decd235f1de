import Foundation
import PolicyOracle
import TestSupport
import Testing

/// The gateway judges random requests by random policies like a judge written from the documents alone.
///
/// `BEARWARD_ORACLE_REQUESTS` sets the number of requests, `BEARWARD_SEED` the seed.
struct PolicyOracleTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let requests = environment["BEARWARD_ORACLE_REQUESTS"].flatMap { Int($0) }
    private static let seed = environment["BEARWARD_SEED"].flatMap { UInt64($0) } ?? 1
    private static let requestsOfPolicy = 30

    @Test(.timeLimit(.minutes(300)), arguments: Effort.some([3000, 20_000], quick: 1))
    func `every request gets the answer that the documentation prescribes`(_ usual: Int) throws {
        let requests = Self.requests ?? usual
        var generator = PolicyGenerator(seed: Self.seed)
        var tally = Tally()
        while tally.judged < requests {
            let policy = generator.policy()
            let walk = try RealWalk(policy.yaml, at: PolicyGenerator.now)
            let judge = PolicyJudge(policy, at: PolicyGenerator.now)
            for _ in 0..<Self.requestsOfPolicy {
                let request = generator.request(policy)
                let (expected, answer) = (judge.answers(to: request), walk.answer(to: request))
                tally.count(expected, answer)
                try #require(
                    expected.contains(answer),
                    """
                    request \(tally.judged) of seed \(Self.seed)
                    \(request.shown)
                    documents: \(expected)
                    gateway: \(answer)
                    \(policy.yaml)
                    """)
            }
        }
        print("\(tally.judged) requests of seed \(Self.seed), \(tally.forwarded) forwarded: \(tally.shown)")
        #expect(tally.forwarded * 10 >= tally.judged * 3)
        #expect(tally.open * 50 <= tally.judged, "too much is left open by the documents")
        #expect(generator.drawn.keys.sorted() == PolicyGenerator.allForms.sorted())
        for form in ["text beside a wildcard", "segments behind rest"] where requests >= 20_000 {
            #expect(generator.drawn[form, default: 0] >= 500, "\(form)")
        }
        for reason in Reason.allCases { #expect(tally.reasons[reason.rawValue] != nil, "\(reason)") }
    }

    /// Counts of judged requests.
    private struct Tally {
        private(set) var judged = 0
        private(set) var forwarded = 0
        /// Requests for which the documents permit more than one answer.
        private(set) var open = 0
        private(set) var reasons: [String: Int] = [:]

        mutating func count(_ expected: Set<Answer>, _ answer: Answer) {
            judged += 1
            if expected.count > 1 { open += 1 }
            switch answer {
            case .forwarded: forwarded += 1
            case .observed(_, let reason), .refused(_, let reason): reasons[reason, default: 0] += 1
            }
        }

        var shown: String {
            let counts = reasons.sorted { $0.value < $1.value }.map { "\($0.key) \($0.value)" }
            return "\(open) left open, \(counts.joined(separator: ", "))"
        }
    }
}

extension Request {
    /// The request in readable form, with its token's content.
    var shown: String {
        var lines = ["\(method) http://\(host)\(path)\(query.map { "?" + $0 } ?? "")"]
        for (name, credentials) in [
            ("Authorization: Bearer ", credentials), ("X-Token: " + tokenFieldPrefix, tokenField),
            ("X-Other: ", otherField),
        ] {
            switch credentials {
            case .none: break
            case .empty, .otherScheme, .malformed, .twice, .text: lines.append("\(name)\(credentials)")
            case .token(let token):
                lines.append("\(name)header: \(JSON.object(token.header).written)")
                lines.append("claims: \(JSON.object(token.claims).written)")
            }
        }
        return lines.joined(separator: "\n")
    }
}
