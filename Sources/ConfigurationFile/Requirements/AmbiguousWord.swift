/// A word among scopes that hardly means a scope of that name: one of ours, of YAML's or of another program for "everybody" or "nobody".
struct AmbiguousWord {
    private let word: String

    /// The words that are not ours, in lower case; YAML 1.1 has most of them for booleans and null.
    private static let foreign: Set<String> = [
        "true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", "none", "any", "*",
    ]

    /// The first of the scopes that is one, in any case of its letters.
    init?(among scopes: [String]) {
        guard let word = scopes.first(where: { Self.isOne($0.lowercased()) }) else { return nil }
        self.word = word
    }

    private static func isOne(_ word: String) -> Bool { word == "public" || word == "authenticated" || foreign.contains(word) }

    var message: String { "`\(word)` here could mean two things" }

    /// How to write a scope of that name.
    var scope: String { "\(word == "*" ? "{text: \"*\"}" : "{all_of: [\(quoted)]}") for a scope of that name" }

    /// In quotes where other readers of YAML find nothing.
    private var quoted: String { ["null", "~"].contains(word.lowercased()) ? "\"\(word)\"" : word }

    /// How to write what else it could mean.
    ///
    /// - Parameter isPart: whether it stands where only tokens are asked for something.
    func meaning(isPart: Bool) -> String {
        let (open, authenticated) = ("{public: true} for a rule without a token", "`authenticated` alone for any valid token")
        return switch word.lowercased() {
        case "public": open
        case "authenticated": authenticated
        default: isPart ? authenticated : "\(open), \(authenticated)"
        }
    }
}
