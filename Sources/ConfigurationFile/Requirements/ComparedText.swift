import TokenVerification

/// A text of the file that one of a token is compared with.
struct ComparedText {
    let text: String
    let value: Value
    /// Whether `{text: …}` says that it is meant as it is written.
    let isStated: Bool

    /// Warns of a text that looks like a pattern, unless it is stated.
    ///
    /// - Parameter literal: how it is stated here; nil: by itself.
    func warn(_ advice: PatternAdvice, literal: String? = nil) {
        guard !isStated, let foreign = ForeignText(text, advice) else { return }
        value.warn(
            "`\(text)` is compared as text, \(foreign.sign)",
            hint: "write \(foreign.instead), or \(literal ?? "{text: \(PatternAdvice.quoted(text))}") for the literal")
    }
}

/// Meaning that a text which looks like a pattern probably has.
enum PatternAdvice {
    /// A value of a claim, which a pattern may stand for.
    case claim
    /// A role or another name, which is in a claim too.
    case name
    /// A client of an issuer, which all its tokens are judged by.
    case client
    /// A scope; no pattern stands for several, because a challenge names them (RFC 6750 §3).
    case scope
    /// The ID of a key.
    case key

    func form(of text: String) -> String { form(with: (try? ClaimPattern(text)) != nil ? Self.quoted(text) : "…") }

    /// - Parameter glob: the pattern as it is written.
    func form(with glob: String) -> String {
        switch self {
        case .claim: "{glob: \(glob)}"
        case .name: "{claims: {CLAIM: {glob: \(glob)}}}"
        case .client: "`require: {claims: {azp: {glob: \(glob)}}}` on the issuer"
        case .scope: "each scope in `any_of`"
        case .key: "the whole ID of each key"
        }
    }

    /// How several names are written.
    ///
    /// - Parameters:
    ///   - sign: stands between them: `||`, `|`, `&&`, or one that does not say whether all are needed.
    func list(_ names: String, joinedBy sign: String) -> String {
        guard self == .scope else { return "[\(names)]" }
        return switch sign {
        case "|", "||": "{any_of: [\(names)]}"
        case "&&": "{all_of: [\(names)]}"
        default: "{all_of: [\(names)]} or {any_of: [\(names)]}"
        }
    }

    /// The text as YAML has it between quotes.
    static func quoted(_ text: String) -> String {
        let needsSingle = text.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
        return needsSingle ? "'\(text.replacing("'", with: "''"))'" : "\"\(text)\""
    }
}

extension [ComparedText] {
    /// Their texts, after a warning of each that looks like a pattern.
    func warned(_ advice: PatternAdvice) -> [String] {
        for compared in self { compared.warn(advice) }
        return map(\.text)
    }
}

extension Value {
    /// The texts of a list or of a single one; an element `{text: …}` stands for those that it states. Those that are
    /// none are reported and left out.
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

    /// Whether it is a mapping, and not `{name}` without quotes, which is reported as that.
    private var isStatement: Bool { isMapping && unquotedText == nil }
}
