import AccessControl

/// Configuration keys of a scope.
final class ScopeKeys: SectionKeys {
    static let section = SectionReference("scopes", "Scopes that a scope implies.", of: ScopeKeys.self)

    let implies = Key(
        "implies", KeyForm(.list(.text("a scope"))) { $0.someElements(of: "scope") },
        .refused(hint: "write {implies: [orders:read]}"),
        "Scopes that the token also counts as having, when a rule asks for them. Implication is transitive.",
        example: "[orders:read]")
}

/// Reads the `scopes` of a resource.
enum ScopesReader {
    static func read(_ section: Section<ResourceKeys>, rules: ResourceRules?) -> ScopeHierarchy {
        guard let value = section[\.scopes] else { return .none }
        guard
            let members = value.members(
                expected: "a mapping of scopes to what each implies",
                hint: { "write what all rules ask for in `require`, and what one asks for in it" })
        else {
            return .none
        }
        if members.isEmpty { value.report("names no scope", hint: "write {orders:write: {implies: [orders:read]}}") }
        let known = members.map(\.key) + (rules?.rules.flatMap { $0.policy?.knownScopes ?? [] } ?? [])
        let implied = members.map { member in
            judgeName(of: member)
            let list = Section(member.value, of: ScopeKeys.self)?.required(\.implies) ?? []
            return (scope: member.key, implies: list.compactMap { scope($0, among: known) })
        }
        do {
            return try ScopeHierarchy(implied)
        } catch {
            members.first { $0.key == error.scope }?.reportKey(
                "`\(error.scope)` implies itself", hint: "let one scope imply the other, not both each other")
            return .none
        }
    }

    /// Reports a key that is not a valid scope. No token could have it.
    private static func judgeName(of member: Value.Member) {
        guard !member.key.isEmpty,
            member.key.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        else {
            member.reportKey(
                "`\(member.key)` is not a scope (RFC 6749 §3.3)",
                hint: "scopes are printable ASCII without spaces and quotes")
            return
        }
    }

    private static func scope(_ value: Value, among known: [String]) -> String? {
        guard let text = value.someText(expected: "a scope") else { return nil }
        guard known.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
            let nearest = NearestName.of(text, among: known).map { "did you mean `\($0)`?" }
            return value.refuse("no rule asks for `\(text)`", hint: nearest ?? "name a scope that a rule asks for")
        }
        return text
    }
}
