import ConfigurationFile
import TokenVerification

/// All that is wanted of a token that is looked for.
struct TokenDraft {
    private(set) var claims: [ClaimLocation: ClaimCell] = [:]
    private(set) var header: Set<Wanted<HeaderTest>> = []
    private(set) var times: Set<Wanted<TimeTest>> = []
    /// Pairs of claims that must be the same text.
    private(set) var equal: [(ClaimLocation, ClaimLocation)] = []

    mutating func add(_ test: ClaimTest, of location: ClaimLocation, holds: Bool) {
        claims[location, default: ClaimCell(name: location.texts.joined(separator: "."))].add(
            ClaimLiteral(test: test, holds: holds))
    }

    mutating func add(_ test: HeaderTest, holds: Bool) { header.insert(Wanted(test: test, holds: holds)) }

    mutating func add(_ test: TimeTest, holds: Bool) { times.insert(Wanted(test: test, holds: holds)) }

    mutating func addEqual(_ one: ClaimLocation, _ other: ClaimLocation) { equal.append((one, other)) }

    mutating func removeEqual() -> (ClaimLocation, ClaimLocation)? { equal.popLast() }

    /// The texts that tests of a claim name.
    func listedTexts(of location: ClaimLocation) -> [String] {
        (claims[location]?.literals ?? []).flatMap { literal -> [String] in
            switch literal.test {
            case .exact, .identifier: literal.test.texts
            default: []
            }
        }.sorted()
    }
}
