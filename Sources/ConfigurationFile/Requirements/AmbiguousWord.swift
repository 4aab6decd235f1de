/// Word among scopes that is probably not meant as a scope. It is a keyword of this file, of YAML or of another
/// program, and means "everybody" or "nobody" there.
struct AmbiguousWord {
    private let word: String
    private let meaning: Meaning
    private let scopes: [String]

    private enum Meaning {
        case open, authenticated, everybody, nobody
    }

    /// Words that are not keywords of this file, in lower case without `_` and `-`. YAML 1.1 reads most of the first
    /// ones as booleans or null.
    private static let foreign: [String: Meaning] = Dictionary(
        uniqueKeysWithValues: [
            "true", "false", "yes", "no", "on", "off", "y", "n", "0", "1", "null", "~", "none", "any", "*", "**",
            "anonymous", "anyone",
            "everybody", "everyone", "allowall", "noauth", "permitall", "unauthenticated",
        ].map { ($0, .everybody) }
            + ["deny", "denyall", "forbid", "forbidden", "never", "nobody", "nothing", "reject"].map { ($0, .nobody) })

    /// Finds the first ambiguous word among the scopes, in any letter case. Nil if there is none.
    init?(among scopes: [String]) {
        guard let found = scopes.lazy.compactMap({ word in Self.meaning(of: word).map { (word, $0) } }).first else {
            return nil
        }
        (word, meaning) = found
        self.scopes = scopes
    }

    private static func meaning(of word: String) -> Meaning? {
        switch word.lowercased() {
        case "public": .open
        case "authenticated": .authenticated
        case let other: foreign[other.filter { $0 != "_" && $0 != "-" }]
        }
    }

    var message: String { "`\(word)` here could mean two things" }

    /// Advice on how to write a scope of that name, together with the other scopes.
    var scope: String {
        let written = scopes.map { $0.contains("*") ? "{text: \"\($0)\"}" : Self.quoted($0) }
        let requirement =
            written.count == 1 && word.contains("*") ? written[0] : "{all_of: [\(written.joined(separator: ", "))]}"
        return "\(requirement) for a scope of that name"
    }

    /// Scope in quotes where other YAML readers would read null.
    private static func quoted(_ scope: String) -> String {
        ["null", "~"].contains(scope.lowercased()) ? "\"\(scope)\"" : FlowText.of(scope)
    }

    /// Advice on how to write each possible meaning.
    ///
    /// - Parameter isPart: true where only requirements on tokens are possible, so that a public rule is not suggested.
    func hint(isPart: Bool) -> String {
        let (open, authenticated) = (
            "{public: true} for a rule without a token", "`authenticated` alone for any valid token"
        )
        return switch meaning {
        case .open: "write \(open), or \(scope)"
        case .authenticated: "write \(authenticated), or \(scope)"
        case .everybody: "write \(isPart ? authenticated : "\(open), \(authenticated)"), or \(scope)"
        case .nobody: "write \(scope), which no token should have: no other requirement refuses everybody"
        }
    }
}
