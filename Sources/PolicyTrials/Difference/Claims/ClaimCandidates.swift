import ConfigurationFile
import StrictJSON
import TokenVerification

/// Candidate values of one claim: at least one of each kind that the claim's tests distinguish.
struct ClaimCandidates {
    private let name: String
    private let literals: [ClaimLiteral]
    private var stated: [StatedValue] = []
    /// Whether candidates may be missing because a limit was hit.
    private(set) var areCutShort = false

    /// Maximum number of combinations of patterns that are tried.
    private static let mostCombinations = 256

    /// - Parameter name: name of the claim, used to make up texts that no test lists.
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

    // MARK: Values that tests name

    private mutating func addListed() {
        for literal in literals { stated += literal.test.examples.map { StatedValue($0) } }
    }

    /// Adds one text with all wanted words, for each separator that tests split at, and each word as a text. For two
    /// separators, adds a text that has the wanted words of each.
    private mutating func addWords() {
        var words: [WordSeparator: [String]] = [:]
        for literal in literals {
            switch literal.test {
            case .word(.string(let word), let separator):
                let isNew = literal.holds && words[separator]?.contains(word) != true
                words[separator, default: []] += isNew ? [word] : []
            case .someWord(let separator), .separatedText(let separator): words[separator, default: []] += []
            default: break
            }
        }
        let separators = WordSeparator.all.filter { words[$0] != nil }
        var all: [String] = []
        for word in separators.flatMap({ words[$0] ?? [] }) where !all.contains(word) { all.append(word) }
        for separator in separators {
            if !all.isEmpty { stated.append(.string(all.joined(separator: separator.text))) }
            // The same words in a text that differs as a whole.
            stated.append(.string((all + ["any-word"]).joined(separator: separator.text)))
            stated.append(.string((all + ["any-word", "other-word"]).joined(separator: separator.text)))
        }
        for first in separators {
            for last in separators where last != first {
                let others = separators.filter { $0 != first && $0 != last }
                let middle = others.reduce("any-word") { $0 + $1.text + "other-word" }
                let begin = ((words[first] ?? []) + [middle]).joined(separator: first.text)
                stated.append(.string(([begin] + (words[last] ?? [])).joined(separator: last.text)))
            }
        }
        stated += all.map { .string($0) }
    }

    // MARK: Texts that patterns accept

    /// Rules that a candidate text must not meet.
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

    /// Rules that every candidate text must meet, from tests of a path prefix (`below`).
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
        // Each pattern can be met by a separate array element, or all by one text.
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

    // MARK: Values that no test names

    private mutating func addOthers() {
        stated += ["any-\(name)", "other-\(name)"].map { .string($0) }
        if !forbidden.isEmpty { search([]) }
        stated.append(.string("any \(name)"))
        // One more integer than tests can list. Left out for claims that identify somebody (`ClaimsSet.identifiers`),
        // since they read integers as texts.
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
    /// Rules for the texts among these values. Numbers and booleans are left out.
    fileprivate var rules: [TextSearch.Rule] {
        compactMap { if case .string(let text) = $0 { .literal(text) } else { nil } }
    }
}
