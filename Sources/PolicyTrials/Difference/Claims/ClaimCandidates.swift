import ConfigurationFile
import StrictJSON
import TokenVerification

/// The values that are enough to try for one claim: of all values that the tests on it cannot tell apart, one.
struct ClaimCandidates {
    private let name: String
    private let literals: [ClaimLiteral]
    private var stated: [StatedValue] = []
    /// Whether there may be more.
    private(set) var areCutShort = false

    /// More combinations of patterns than this are not tried.
    private static let mostCombinations = 256

    /// - Parameter name: the claim's, for texts that nothing lists.
    init(named name: String, for literals: [ClaimLiteral]) {
        self.name = name
        self.literals = literals
        addListed()
        addWords()
        addMatching()
        addOthers()
        addObjects()
    }

    /// Candidate values that are not arrays, the most informative first.
    var values: [ClaimValue] {
        var seen: Set<StatedValue> = []
        return stated.filter { seen.insert($0).inserted }.compactMap(ClaimValue.init)
    }

    // MARK: What the tests name

    private mutating func addListed() {
        for literal in literals { stated += literal.test.examples.map { StatedValue($0) } }
    }

    /// All words that are wanted in one text; without any, one.
    private mutating func addWords() {
        var words: [String] = []
        for case .word(.string(let word)) in literals.filter(\.holds).map(\.test) where !words.contains(word) {
            words.append(word)
        }
        guard !words.isEmpty else { return }
        stated.append(.string(words.joined(separator: " ")))
        stated += words.map { .string($0) }
        // The whole text is another then.
        stated.append(.string(words.joined(separator: " ") + " any-word"))
    }

    // MARK: What patterns accept

    /// Rules that no text may meet.
    private var forbidden: [TextSearch.Rule] {
        literals.flatMap { literal -> [TextSearch.Rule] in
            switch literal.test {
            case .held(let choice) where !literal.holds: choice.rules
            case .excluded(let choice) where literal.holds: choice.rules
            case .exact(let values) where !literal.holds, .identifier(let values) where !literal.holds: values.rules
            default: []
            }
        }
    }

    /// Rules that every text must meet besides.
    private var demanded: [TextSearch.Rule] {
        literals.compactMap { if case .below(let start) = $0.test, $0.holds { .below(start) } else { nil } }
    }

    private mutating func addMatching() {
        var asked: [[TextSearch.Rule]] = []
        for literal in literals {
            switch literal.test {
            case .held(let choice) where literal.holds: asked.append(choice.patterns.map { .pattern($0) })
            case .excluded(let choice) where !literal.holds: asked.append(choice.patterns.map { .pattern($0) })
            case .heldBeside(let choice, let other) where literal.holds:
                for pattern in choice?.patterns ?? [] { search([.pattern(pattern)], besides: other.rules) }
                if choice == nil { search([], besides: other.rules) }
            default: break
            }
        }
        // One element for each, or one text for all.
        for rule in asked.joined() { search([rule]) }
        var combinations: [[TextSearch.Rule]] = [demanded]
        for options in asked where !options.isEmpty {
            let longer = combinations.flatMap { combination in options.map { combination + [$0] } }
            combinations = longer + combinations
            guard combinations.count <= Self.mostCombinations else {
                areCutShort = true
                break
            }
        }
        for combination in combinations where combination.count > 1 { search(combination) }
        if !demanded.isEmpty { search(demanded) }
    }

    private mutating func search(_ required: [TextSearch.Rule], besides: [TextSearch.Rule] = []) {
        switch TextSearch(required: required, forbidden: forbidden + besides).shortest() {
        case .found(let text): stated.append(.string(text))
        case .none: return
        case .undecided: areCutShort = true
        }
    }

    // MARK: What nothing names

    private mutating func addOthers() {
        stated += ["any-\(name)", "other-\(name)"].map { .string($0) }
        if !forbidden.isEmpty { search([]) }
        stated.append(.string("any \(name)"))
        // One more than can be listed; of what identifies somebody, an integer is a text.
        if !ClaimsSet.identifiers.contains(where: { "\($0)" == name }) {
            stated += (0...Int64(stated.count)).map { .integer($0) }
        }
        stated += [.boolean(true), .boolean(false), .string("")]
    }

    private mutating func addObjects() {
        var roles: [StatedMember] = []
        var organization = "any-organization"
        for literal in literals where literal.holds {
            switch literal.test {
            case .role(.string(let role), let organizations):
                organization = organizations?.first ?? organization
                roles.append(StatedMember(role, .object([StatedMember(organization, .string("x"))])))
            case .someRole(let organizations) where roles.isEmpty:
                organization = organizations?.first ?? organization
                roles.append(StatedMember("any-role", .object([StatedMember(organization, .string("x"))])))
            default: break
            }
        }
        stated += [.object(roles), .object([])]
    }
}

extension ClaimChoice {
    fileprivate var rules: [TextSearch.Rule] { patterns.map { .pattern($0) } + values.rules }
}

extension [ClaimScalar] {
    /// Numbers and truth values are no texts.
    fileprivate var rules: [TextSearch.Rule] {
        compactMap { if case .string(let text) = $0 { .literal(text) } else { nil } }
    }
}
