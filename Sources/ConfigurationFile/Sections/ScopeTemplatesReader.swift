import TokenVerification

/// Reads `ask_for`: the names by which clients ask a resource's issuers for scopes.
struct ScopeTemplatesReader {
    static let form = ValueForm.pattern("a text with `{scope}`", "^[!#-\\[\\]-~]*\\{scope\\}[!#-\\[\\]-~]*$")

    let issuers: NamedIssuers
    /// Issuers whose tokens open the resource.
    let accepted: [NamedIssuer]

    /// Reads the templates by issuer.
    func read(_ value: Value?) -> [IssuerIndex: ScopeTemplate] {
        guard let value else { return [:] }
        guard value.isMapping else {
            guard let template = template(value) else { return [:] }
            return Dictionary(accepted.map { ($0.index, template) }, uniquingKeysWith: { first, _ in first })
        }
        var templates: [IssuerIndex: ScopeTemplate] = [:]
        for (issuer, value) in issuers.members(of: value, among: accepted) {
            let template = template(value)
            if let issuer { templates[issuer.index] = template }
        }
        return templates
    }

    private func template(_ value: Value) -> ScopeTemplate? {
        guard let text = value.someText(expected: "a text such as `\"api://<client id>/{scope}\"`") else { return nil }
        do {
            return try ScopeTemplate(text)
        } catch {
            return value.refuse(error.text(of: text))
        }
    }
}

extension ScopeTemplateRejection {
    fileprivate func text(of template: String) -> ProblemText {
        switch self {
        case .tooLong: ProblemText("the text is longer than \(ScopeTemplate.longest) bytes")
        case .forbiddenCharacter:
            ProblemText(
                "`\(template)` has a character that no scope has",
                hint: "scopes are printable ASCII without spaces, quotes and `\\`")
        case .missingPlaceholder:
            ProblemText(
                "`\(template)` does not say where the scope goes",
                hint: "write it as `{scope}`, such as `api://<client id>/{scope}`")
        case .repeatedPlaceholder: ProblemText("`\(template)` has `{scope}` more than once", hint: "write it once")
        }
    }
}
