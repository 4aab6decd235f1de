import ConfigurationFile
import TokenVerification

/// Requirements that a search has collected for the token it looks for.
struct TokenDraft {
    private(set) var claims: [ClaimLocation: ClaimCell] = [:]
    private(set) var header: Set<Wanted<HeaderTest>> = []
    private(set) var times: Set<Wanted<TimeTest>> = []
    /// Pairs of claims that must have the same text.
    private(set) var equal: [(ClaimLocation, ClaimLocation)] = []

    mutating func add(_ test: ClaimTest, of location: ClaimLocation, holds: Bool) {
        let cell = ClaimCell(name: location.texts.joined(separator: "."), isMultiple: location.isMultiple)
        claims[location, default: cell].add(ClaimLiteral(test: test, holds: holds))
    }

    mutating func add(_ test: HeaderTest, holds: Bool) { header.insert(Wanted(test: test, holds: holds)) }

    mutating func add(_ test: TimeTest, holds: Bool) { times.insert(Wanted(test: test, holds: holds)) }

    mutating func addEqual(_ one: ClaimLocation, _ other: ClaimLocation) { equal.append((one, other)) }

    mutating func removeEqual() -> (ClaimLocation, ClaimLocation)? { equal.popLast() }

    /// Texts that the tests of a claim list, sorted.
    func listedTexts(of location: ClaimLocation) -> [String] {
        (claims[location]?.literals ?? []).flatMap { literal -> [String] in
            switch literal.test {
            case .exact, .identifier: literal.test.texts
            default: []
            }
        }.sorted()
    }
}
