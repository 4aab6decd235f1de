import TokenVerification

/// Text of the file that is compared with a text of a token.
struct ComparedText {
    let text: String
    let value: Value
    /// True if the text was written as `{text: …}`, which means it literally.
    let isStated: Bool

    /// Warns if the text looks like a pattern, unless it was written as `{text: …}`.
    ///
    /// - Parameter literal: advice on how to write the literal text. Nil for `{text: …}`.
    func warn(_ advice: PatternAdvice, literal: String? = nil) {
        guard !isStated, let foreign = ForeignText(text, advice) else { return }
        value.warn(
            "`\(text)` is compared as text, \(foreign.sign)",
            hint: "write \(foreign.instead), or \(literal ?? "{text: \(PatternAdvice.quoted(text))}") for the literal")
    }
}

/// Kind of a compared text. It determines the advice for a text that looks like a pattern.
enum PatternAdvice {
    /// Value of a claim, which may be written as a pattern.
    case claim
    /// Role or another name, which is also in a claim.
    case name
    /// Client of an issuer: a condition on all tokens of that issuer.
    case client
    /// Scope. Patterns are not possible, because a challenge names each required scope (RFC 6750 §3).
    case scope
    /// ID of a key.
    case key

    func form(of text: String) -> String { form(with: (try? ClaimPattern(text)) != nil ? Self.quoted(text) : "…") }

    /// Advice on how to write a pattern.
    ///
    /// - Parameter glob: pattern as it is written.
    func form(with glob: String) -> String {
        switch self {
        case .claim: "{glob: \(glob)}"
        case .name: "{claims: {CLAIM: {glob: \(glob)}}}"
        case .client: "`require: {claims: {azp: {glob: \(glob)}}}` on the issuer"
        case .scope: "each scope in `any_of`"
        case .key: "the whole ID of each key"
        }
    }

    /// Advice on how to write several names.
    ///
    /// - Parameters:
    ///   - sign: separator between the names: `||`, `|`, `&&`, or one that does not say whether all are needed.
    func list(_ names: String, joinedBy sign: String) -> String {
        guard self == .scope else { return "[\(names)]" }
        return switch sign {
        case "|", "||": "{any_of: [\(names)]}"
        case "&&": "{all_of: [\(names)]}"
        default: "{all_of: [\(names)]} or {any_of: [\(names)]}"
        }
    }

    /// Text as YAML has it between quotes.
    static func quoted(_ text: String) -> String {
        let needsSingle = text.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
        return needsSingle ? "'\(text.replacing("'", with: "''"))'" : "\"\(text)\""
    }
}

extension [ComparedText] {
    /// Texts of all elements. Warns of each that looks like a pattern.
    func warned(_ advice: PatternAdvice) -> [String] {
        for compared in self { compared.warn(advice) }
        return map(\.text)
    }
}

extension Value {
    /// Texts of a list or of a single text. An element `{text: …}` counts as the literal texts in it. Invalid elements
    /// are reported and left out. Nil for an empty list or another kind of value, which is reported.
    func comparedTexts(of what: String, expected: String = "text or a list") -> [ComparedText]? {
        guard let elements = isStatement ? [self] : someElements(of: what, expected: expected) else { return nil }
        return elements.flatMap { element -> [ComparedText] in
            guard element.member(\PatternKeys.glob) == nil else {
                element.reportPlace("a pattern is for the value of a claim", hint: PatternKeys.advice)
                return []
            }
            let isStated = element.isStatement
            let values = isStated ? Section(element, of: TextKeys.self)?.required(\.text) ?? [] : [element]
            return values.compactMap { value in
                value.someText().map { ComparedText(text: $0, value: value, isStated: isStated) }
            }
        }
    }

    /// True for a mapping such as `{text: …}`. A `{name}` without quotes is not one; it gets its own report.
    private var isStatement: Bool { isMapping && unquotedText == nil }
}
