import ConfigurationFile
import Testing
import TokenVerification

@testable import PolicyTrials

struct TokenSearchTests {
    private static func isOneOf(_ claim: Int, _ values: [Int]) -> TokenTest {
        .any(values.map { .claim(ClaimPath(members: "c\(claim)"), .exact([.integer(Int64($0))]), holds: true) })
    }

    private static let valid = TokenTest.times(
        .valid(TimeRules(leeway: Leeway(.zero))), holds: true)

    /// Claims that must all differ, with fewer values than claims.
    private static func pigeons(_ count: Int, in holes: Int) -> [TokenTest] {
        let values = Array(1...holes)
        let different = (0..<count).flatMap { one in
            (0..<one).flatMap { other in
                values.map { TokenTest.any([isOneOf(one, [$0]).negated, isOneOf(other, [$0]).negated]) }
            }
        }
        return (0..<count).map { isOneOf($0, values) } + different
    }

    private static func isDecided(_ tests: [TokenTest], mostSteps: Int) -> (isDecided: Bool, isFound: Bool) {
        switch TokenSearch(at: 1_767_225_600, mostSteps: mostSteps).token([valid] + tests) {
        case .found: (true, true)
        case .none: (true, false)
        case .undecided: (false, false)
        }
    }

    @Test func `an impossible token is recognised, and a search with too many steps is undecided`() {
        #expect(Self.isDecided(Self.pigeons(3, in: 3), mostSteps: 1000) == (true, true))
        #expect(Self.isDecided(Self.pigeons(3, in: 2), mostSteps: 1000) == (true, false))
        #expect(Self.isDecided(Self.pigeons(5, in: 4), mostSteps: 20) == (false, false))
    }

    @Test func `claims that must be equal get one text`() throws {
        let (subject, client) = (ClaimPath(member: "sub"), ClaimPath(member: "client_id"))
        let tests: [TokenTest] = [
            Self.valid, .same(subject, client, holds: true),
            .claim(client, .exact([.string("a"), .string("b")]), holds: true),
            .claim(subject, .exact([.string("a")]), holds: false),
        ]
        guard case .found(let token) = TokenSearch(at: 1_767_225_600).token(tests) else {
            Issue.record("there is one")
            return
        }
        #expect(
            token.members.filter { ["sub", "client_id"].contains($0.name) }.map(\.value) == [
                .string("b"), .string("b"),
            ])
    }
}
