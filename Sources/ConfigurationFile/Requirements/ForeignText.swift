import NetworkNames

/// Text with a special meaning in other programs, such as several names in one text. Here it is compared literally.
struct ForeignText {
    /// Remark about the part that is compared literally; the end of a sentence.
    let sign: String
    /// Advice on what to write for the probable meaning.
    let instead: String

    /// Recognizes a foreign text. Nil for any other text.
    init?(_ text: String, _ advice: PatternAdvice) {
        let found =
            Self.star(text, advice) ?? Self.spaces(text) ?? Self.list(text, advice) ?? Self.expression(text, advice)
            ?? Self.word(text, advice) ?? (advice == .scope ? Self.scope(text) : nil)
        guard let found else { return nil }
        (sign, instead) = found
    }

    private typealias Found = (sign: String, instead: String)

    private static func star(_ text: String, _ advice: PatternAdvice) -> Found? {
        text.utf8.contains(UInt8(ascii: "*")) ? ("its `*` too", advice.form(of: text)) : nil
    }

    private static func spaces(_ text: String) -> Found? {
        let trimmed = trimmed(text[...])
        return trimmed.utf8.count < text.utf8.count && !trimmed.isEmpty
            ? ("its spaces too", PatternAdvice.quoted(trimmed)) : nil
    }

    /// Recognizes names with a separator between them. Except for scopes, all names must be plain words, since
    /// `auth0|7` and `CN=a,OU=b` are values. Nil for any other text.
    private static func list(_ text: String, _ advice: PatternAdvice) -> Found? {
        for sign in ["||", "|", "&&", ",", ";"] where text.contains(sign) {
            let names = text.split(separator: sign).map { trimmed($0) }
            guard names.count > 1, advice == .scope || names.allSatisfy(isWord) else { return nil }
            let list = names.joined(separator: ", ")
            return ("its `\(sign)` too", advice.list(list, joinedBy: sign))
        }
        return nil
    }

    /// Recognizes regular expressions, such as `/^guest/`, `^guest` and `guest$`. Nil for any other text.
    private static func expression(_ text: String, _ advice: PatternAdvice) -> Found? {
        let isQuoted =
            text.utf8.count > 2 && text.hasPrefix("/") && text.hasSuffix("/")
            && text.contains(where: { "^$[(\\".contains($0) })
        guard isQuoted || text.hasPrefix("^") || text.utf8.count > 1 && text.hasSuffix("$") else { return nil }
        return ("and is no regular expression", "the text itself or \(advice.form(with: "…"))")
    }

    private static func word(_ text: String, _ advice: PatternAdvice) -> Found? {
        let word = text.lowercased()
        return switch advice {
        case .scope: scopeWords[word].map { ("and is no keyword", $0) }
        case .name, .client: names.contains(word) ? ("and is no keyword", "the names that count") : nil
        case .claim, .key: nil
        }
    }

    private static let names: Set<String> = ["all", "any", "anyone", "everyone", "none"]

    private static let scopeWords: [String: String] = {
        let (valid, choice, all) = (
            "`authenticated` alone for any valid token", "{any_of: […]} for one of several",
            "scopes in a row for all of them"
        )
        return [
            "all": valid, "allow": valid, "open": valid, "optional": valid,
            "or": choice, "||": choice, "|": choice, "and": all, "&&": all, "&": all, "not": needed, "!": needed,
        ]
    }()

    private static let needed = "the scopes that a token needs"

    /// Recognizes prefixes and signs that other programs write before or around a scope or a role. Nil for any other
    /// text.
    private static func scope(_ text: String) -> Found? {
        for (prefix, isRole) in [
            ("SCOPE_", false), ("scope:", false), ("scope=", false), ("ROLE_", true), ("role:", true), ("role=", true),
        ] {
            guard text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count else { continue }
            let name = text.dropFirst(prefix.count)
            return ("its `\(prefix)` too", isRole ? "{roles: \(name)}" : "`\(name)`")
        }
        if let sign = text.first, "!-".contains(sign) { return ("its `\(sign)` too", needed) }
        guard text.contains(where: { "()".contains($0) }) else { return nil }
        return ("its parentheses too", "the scope by its name, or {roles: …} for a role")
    }

    // MARK: Texts

    private static func trimmed(_ text: Substring) -> String {
        let rest = text.drop { $0.isWhitespace }
        return String(rest.prefix(rest.count - rest.reversed().prefix { $0.isWhitespace }.count))
    }

    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }
}
