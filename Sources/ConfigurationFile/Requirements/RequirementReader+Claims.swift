import AccessControl
import TokenVerification

/// Requirements on claims.
extension RequirementReader {
    func claimRequirements(_ section: Section<RequirementKeys>) -> [Requirement] {
        let asked = section.read(\.claims).value ?? []
        let excluded = section.read(\.not).value ?? []
        return asked.map { .claimMatching($0.path, $0.choice) }
            + excluded.map { .claimOtherThan($0.path, $0.choice) }
            + (section.read(\.absent).value.map { [.noClaims($0)] } ?? [])
    }

    /// Reads claims with their listed values and patterns, for `claims` and `not`. Invalid claims are reported and left
    /// out. Nil if the value is not a mapping, which is reported.
    static func choices(_ value: Value) -> [(path: ClaimPath, choice: ClaimChoice)]? {
        guard let members = value.members(expected: "a mapping of claims to values") else { return nil }
        if members.isEmpty { value.report("names no claim", hint: "write {claim: value}") }
        return members.compactMap { member in
            let path = member.claimPath(permitsElements: true)
            let choice = member.value.claimChoice(of: path)
            guard let path, let choice else { return nil }
            return (path, choice)
        }
    }
}

extension Value {
    /// Reads the values and patterns listed for a claim.
    ///
    /// - Parameter claim: path of the claim. Nil if it is invalid, which was already reported.
    func claimChoice(of claim: ClaimPath?) -> ClaimChoice? {
        guard let elements = isMapping ? [self] : someElements(of: "value") else { return nil }
        let choices = elements.map {
            $0.isMapping ? $0.stated() : ClaimChoice(values: $0.plainValue(of: claim).map { [$0] } ?? [])
        }
        return ClaimChoice(values: choices.flatMap(\.values), patterns: choices.flatMap(\.patterns))
    }

    private func plainValue(of claim: ClaimPath?) -> ClaimScalar? {
        let value = claimScalar(of: claim)
        if case .string(let text)? = value { ComparedText(text: text, value: self, isStated: false).warn(.claim) }
        return value
    }

    /// Reads a mapping of patterns (`glob`) and literal texts (`text`).
    private func stated() -> ClaimChoice {
        guard let section = Section(self, of: PatternKeys.self) else { return ClaimChoice() }
        let patterns = section[\.text] == nil ? section.required(\.glob) : section[\.glob]
        let stated = section.read(\.text).value ?? []
        return ClaimChoice(
            values: stated.map { .string($0) }, patterns: patterns.map { $0.claimPatterns(besides: stated) } ?? [])
    }

    /// Reads patterns, and warns of those that look like regular expressions.
    ///
    /// - Parameter stated: literal texts. A pattern that is also listed here is not warned of.
    private func claimPatterns(besides stated: [String]) -> [ClaimPattern] {
        guard let texts = someElements(of: "pattern") else { return [] }
        return texts.compactMap { element in
            let pattern = element.claimPattern()
            if let pattern, pattern.resemblesExpression, !stated.contains(pattern.description) {
                element.warn(
                    "only `*` and `**` are patterns, and `\(pattern)` has signs of a regular expression",
                    hint: "write a pattern for each text, or the same under `text` beside `glob` if its signs are meant"
                )
            }
            return pattern
        }
    }

    /// Reads one pattern. Nil after an error, which is reported.
    func claimPattern() -> ClaimPattern? {
        guard let text = text(expected: "a pattern") else { return nil }
        do throws(ClaimPatternRejection) {
            return try ClaimPattern(text)
        } catch {
            return refuse(error.text)
        }
    }
}

extension ClaimPattern {
    /// True if the pattern has signs of regular expressions, or of shell patterns other than `*`. `v1.*`, `auth0|*` and
    /// `*[bot]` do not count.
    fileprivate var resemblesExpression: Bool {
        ["^", ".*", ".+"].contains(where: description.hasPrefix) || description.hasSuffix("$")
            || encloses("(", ")") { $0.contains("|") } || encloses("{", "}") { $0.contains(",") }
            || encloses("[", "]") { $0.first == "^" || $0.dropFirst().first == "-" }
    }

    /// True if a text between the two signs fulfils the condition.
    private func encloses(_ open: Character, _ close: Character, _ isForeign: (Substring) -> Bool) -> Bool {
        let pieces = description.split(separator: open, omittingEmptySubsequences: false).dropFirst()
        return pieces.contains { piece in piece.firstIndex(of: close).map { isForeign(piece[..<$0]) } ?? false }
    }
}

extension ClaimPatternRejection {
    fileprivate var text: ProblemText {
        switch self {
        case .empty: ProblemText("a pattern must not be empty")
        case .tooLong: ProblemText("a pattern is at most \(ClaimPattern.longest) bytes long")
        case .tooManyWildcards:
            ProblemText(
                "a pattern has at most \(ClaimPattern.mostWildcards) wildcards",
                hint: "write several, or ask for another claim")
        case .onlyWildcards:
            ProblemText(
                "a pattern of a wildcard alone asks for nothing",
                hint: "write what the values have in common, such as `acme/*`")
        case .adjacentWildcards:
            ProblemText("two wildcards in a row", hint: "write `*` within a segment, or `**` across segments")
        case .invalidEscape: ProblemText("`\\` stands before `*` or `\\` only", hint: "write `\\\\` for a backslash")
        }
    }
}
