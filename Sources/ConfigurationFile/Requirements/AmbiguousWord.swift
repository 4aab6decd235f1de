/// A word among scopes that hardly means a scope of that name: one of ours, of YAML's or of another program for
/// "everybody" or "nobody".
struct AmbiguousWord {
    private let word: String
    private let meaning: Meaning
    private let scopes: [String]

    private enum Meaning {
        case open, authenticated, everybody, nobody
    }

    /// The words that are not ours, without case, `_` and `-`; YAML 1.1 has most of the first for booleans and null.
    private static let foreign: [String: Meaning] = Dictionary(
        uniqueKeysWithValues: [
            "true", "false", "yes", "no", "on", "off", "y", "n", "0", "1", "null", "~", "none", "any", "*", "**",
            "anonymous", "anyone",
            "everybody", "everyone", "allowall", "noauth", "permitall", "unauthenticated",
        ].map { ($0, .everybody) }
            + ["deny", "denyall", "forbid", "forbidden", "never", "nobody", "nothing", "reject"].map { ($0, .nobody) })

    /// The first of the scopes that is one, in any case of its letters.
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

    /// How to write a scope of that name, beside the others.
    var scope: String {
        let written = scopes.map { $0.contains("*") ? "{text: \"\($0)\"}" : Self.quoted($0) }
        let requirement =
            written.count == 1 && word.contains("*") ? written[0] : "{all_of: [\(written.joined(separator: ", "))]}"
        return "\(requirement) for a scope of that name"
    }

    /// In quotes where other readers of YAML find nothing.
    private static func quoted(_ scope: String) -> String {
        ["null", "~"].contains(scope.lowercased()) ? "\"\(scope)\"" : FlowText.of(scope)
    }

    /// How to write each thing that it could mean.
    ///
    /// - Parameter isPart: whether it stands where only tokens are asked for something.
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
