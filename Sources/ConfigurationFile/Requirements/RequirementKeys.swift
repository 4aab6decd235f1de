import TokenVerification

/// Configuration keys of a requirement in its mapping form. All keys that are present must hold.
final class RequirementKeys: SectionKeys {
    static let section = SectionReference(
        "Requirements", "Requirements of a rule or a policy on a token. All keys that are present must hold.",
        of: RequirementKeys.self)

    private static let nothing = KeyAbsence.meaning("nothing is asked for")

    let `public` = Key(
        "public", .boolean, .meaning("a token is needed"),
        "`true`: no token is needed, and none is looked at. Only keys that ask nothing of a token may stand beside it, such as `quotas`.",
        example: "true")
    let optional = Key(
        "optional", form: RequirementReader.form, .meaning("a token is needed"),
        "Requirements on the token, if there is one. A request without credentials is forwarded without identity headers.",
        example: "orders:read")
    let policy = Key(
        "policy", form: .text("a name under `policies`"), RequirementKeys.nothing,
        "What that policy asks for. A policy cannot name another.", example: "staff")
    let allOf = Key(
        "all_of", KeyForm(TextKeys.list("scopes"), RequirementReader.scopeList), RequirementKeys.nothing,
        "Scopes that the token must all have.", example: "[shopping:read, shopping:write]")
    let anyOf = Key(
        "any_of",
        form: .oneOf([.text("a scope"), .listAlone(.oneOf([.text("a scope"), .section(RequirementKeys.section)]))]),
        RequirementKeys.nothing,
        "Scopes and requirements of which one is enough. Challenges name the first.",
        example: "[shopping:read, {roles: [support], max_age: 15m}]")
    let text = Key(
        "text", KeyForm(.list(.text("scopes")), RequirementReader.statedScopes), RequirementKeys.nothing,
        "Scopes that the token must all have, taken literally: `*` is not a pattern, and `true` is a scope.",
        example: "\"orders:*\"")
    let roles = Key(
        "roles", .compared("a role", of: "role", .name), RequirementKeys.nothing, "Roles of which one is enough.",
        example: "[admin, support]")
    let claims = Key(
        "claims", PatternKeys.claims, RequirementKeys.nothing,
        "Claims with accepted values or patterns. Each claim must be or contain at least one of them.",
        example: "{department: [sales, support], repository: {glob: \"acme/*\"}}")
    let not = Key(
        "not", KeyForm(.section(ExclusionKeys.section)) { Section($0, of: ExclusionKeys.self)?.required(\.claims) },
        RequirementKeys.nothing, "Values that claims of the token must not have. The claims must be present.",
        example: "{claims: {type: guest}}")
    let absent = Key(
        "absent", .claimPathsWithElements, RequirementKeys.nothing,
        "Claims that the token must not have; null is absent.",
        example: "[act]")
    let issuer = Key(
        "issuer", form: .list(.text("an issuer's name")), RequirementKeys.nothing,
        "Accepted issuers.", example: "[logto]")
    let clients = Key(
        "clients", .compared("a client ID", of: "client", .name), RequirementKeys.nothing,
        "Accepted clients: the token must be issued to one of them.", example: "[back-office]")
    let organization = Key(
        "organization", form: TextKeys.list("an organization, or `\"{name}\"` from the rule's path"),
        RequirementKeys.nothing,
        "The organization that the token must be for.", example: "[\"org_1\", \"org_2\"]")
    let acr = Key(
        "acr", KeyForm(TextKeys.list("a context class"), RequirementReader.contextClasses), RequirementKeys.nothing,
        "How the user must have signed in (RFC 9470); another is 401, so that the client can ask for it.",
        example: "[mfa]")
    let maxAge = Key(
        "max_age", .wholeSeconds(in: .zero ... .seconds(10 * 365 * 86_400)), RequirementKeys.nothing,
        "The longest time since the user signed in, in whole seconds (RFC 9470); a longer one is 401.", example: "15m")
    let quotas = Key(
        "quotas", form: .list(.text("a name under `quotas`")), .meaning("only the quotas of the resource count"),
        "The quotas that requests of this rule count against, besides those of the resource. Alone, it is for any valid token.",
        example: "[partner]")
    let mode = Key(
        "mode", ModeKeys.form, .meaning("it is the resource's"),
        "Whether requests that this rule does not permit are refused. Alone, it is for any valid token.",
        example: "{observe: {until: 2099-12-24}}")
    let maintenance = Key(
        "maintenance", MaintenanceKeys.form, .meaning("only that of the resource counts"),
        "Answers every request of this rule with 503, besides those that the resource's `maintenance` answers. "
            + "Alone, it is for any valid token.",
        example: "{until: 2099-12-24, retry_after: 10m}")
    let limits = Key(
        "limits", form: .section(ResourceLimitKeys.section), .meaning("those of the resource count"),
        "Limits of the requests of this rule. Alone, it is for any valid token.", example: "{body: 10MiB}")
    let timeouts = Key(
        "timeouts", form: .section(ResourceTimeoutKeys.section), .meaning("those of the resource count"),
        "Time-outs of the requests of this rule. Alone, it is for any valid token.", example: "{first_byte: 10s}")
    let response = Key(
        "response", form: .section(ResponseKeys.section), .meaning("those of the resource count"),
        "Response headers that this rule sets and removes, besides those of the resource. Alone, it is for any valid token.",
        example: "{set: {Cache-Control: no-store}}")

    /// Keys that only a rule may have, because they ask nothing of a token.
    var ofRulesAlone: [any SectionKey] {
        let open: [any SectionKey] = [`public`, optional]
        return open + besideRequirements.map(\.key)
    }

    /// A key that may stand beside any requirement of a rule, with texts for a location where it may not.
    struct Companion {
        let key: any SectionKey
        /// Subject of a sentence, with its verb, such as "quotas are".
        let subject: String
        /// Object of a sentence, such as "quotas".
        let object: String
        var pronoun = "it"
    }

    var besideRequirements: [Companion] {
        [
            Companion(key: quotas, subject: "quotas are", object: "quotas", pronoun: "them"),
            Companion(key: mode, subject: "a mode is", object: "mode"),
            Companion(key: maintenance, subject: "maintenance is", object: "maintenance"),
            Companion(key: limits, subject: "limits are", object: "limits", pronoun: "them"),
            Companion(key: timeouts, subject: "time-outs are", object: "time-outs", pronoun: "them"),
            Companion(key: response, subject: "response headers are", object: "response headers", pronoun: "them"),
        ]
    }
}

extension KeyForm where Result == [ClaimPath] {
    static var claimPaths: KeyForm { claimPaths(permitElements: false) }

    /// Form of paths that may have a level `*`.
    static var claimPathsWithElements: KeyForm { claimPaths(permitElements: true) }

    private static func claimPaths(permitElements: Bool) -> KeyForm {
        KeyForm(.list(.text("a claim's name or path"))) {
            $0.someElements(of: "claim")?.compactMap { $0.claimPath(permitsElements: permitElements) }
        } absence: {
            .value("[\($0.map(\.description).joined(separator: ", "))]")
        }
    }

    /// Form of the claims that a subject is taken from. Warns of claims that users can choose, or that change hands.
    static var subjectClaims: KeyForm {
        KeyForm(claimPaths.form) { value in
            let paths = claimPaths.read(value)
            // By the last name, because a claim may be nested, or written as a pointer or with a name space.
            for path in paths ?? [] where path.names.last.map(Self.changes) ?? false {
                value.warn(
                    "`\(path)` may change or be given to another user, so it does not say who somebody is",
                    hint: "name a claim that the issuer never reuses, such as `sub`", weakens: .subjectClaims)
            }
            return paths
        } absence: {
            claimPaths.absence($0)
        }
    }

    private static func changes(_ name: String) -> Bool {
        changing.contains(name.split(separator: "/").last.map(String.init) ?? name)
    }

    private static let changing: Set<String> = [
        "email", "name", "nickname", "phone_number", "preferred_username", "unique_name", "upn", "username",
    ]
}

extension KeyForm where Result == WordSeparator {
    static var wordSeparator: KeyForm {
        let known = WordSeparator.all.map(\.text)
        return KeyForm(.words(known)) { value in
            guard let text = value.text(expected: "a sign") else { return nil }
            return WordSeparator(text)
                ?? value.refuse(
                    "`\(text)` is no separator", hint: "write \(known.map { "\"\($0)\"" }.joined(separator: ", "))")
        } absence: {
            .value("\"\($0.text)\"")
        }
    }
}

extension KeyForm where Result == Duration {
    /// Form of a duration in whole seconds, because a challenge states it in seconds (RFC 9470 §3).
    fileprivate static func wholeSeconds(in range: ClosedRange<Duration>) -> KeyForm {
        KeyForm(.duration(range)) { value in
            guard let duration = value.duration(in: range) else { return nil }
            guard duration.components.attoseconds == 0 else { return value.refuse("`max_age` is in whole seconds") }
            return duration
        }
    }
}

/// Configuration keys of `not`.
final class ExclusionKeys: SectionKeys {
    static let section = SectionReference(
        "not", "Values that claims must not have. A claim that is absent does not meet `not`.",
        of: ExclusionKeys.self)

    let claims = Key(
        "claims", PatternKeys.claims, .refused(hint: "write {claims: {claim: value}}"),
        "Claims that must be present, with the values and patterns that they must not be or contain.",
        example: "{type: [guest, contractor]}")
}

/// Configuration keys of a pattern for the value of a claim.
final class PatternKeys: SectionKeys {
    static let section = SectionReference(
        "Patterns", "Texts that a claim may be, as a pattern or as they are written.", of: PatternKeys.self)

    /// Advice for a pattern where patterns are not permitted.
    static let advice = "write {claims: {CLAIM: {glob: …}}}"

    /// Form of claims with their accepted values and patterns.
    static let claims = KeyForm(
        .mapping(of: .text("a claim's name or path"), to: choice), RequirementReader.choices)

    /// Form of the accepted values and patterns of one claim.
    static let choice = ValueForm.list(.oneOf([.claimValue, .section(section)]))

    let glob = Key(
        "glob", form: .list(.text("a pattern")), .refusedUnless("`text` is there", hint: "write {glob: \"acme/*\"}"),
        "`*` is one or more bytes other than `/` and `:`, `**` one or more of any; `\\*` is a `*`. The whole text must match.",
        example: "\"repo:acme/*:ref:refs/heads/**\"")
    let text = Key(
        "text", KeyForm(.list(.text("text"))) { $0.texts(of: "text") }, .meaning("only patterns count"),
        TextKeys().text.reference.text, example: TextKeys().text.reference.example)
}
