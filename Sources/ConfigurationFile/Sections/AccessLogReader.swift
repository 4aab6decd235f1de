import ProxySettings
import TokenVerification

/// Reads `access_log`: a destination, or a mapping that also chooses values of tokens.
enum AccessLogReader {
    static let destinationForm = KeyForm(
        .pattern("`stdout`, `none` or a path", "^(?!(stderr|off|on|true|false|no|yes)$)."), destination)

    static func read(_ value: Value) -> AccessLogSettings? {
        guard value.isMapping else { return destination(value).map { AccessLogSettings(destination: $0) } }
        guard let section = Section(value, of: AccessLogKeys.self) else { return nil }
        let destination = section.read(\.destination).or(.stdout)
        let members = section.read(\.members).or([])
        let claims = section.read(\.claims).or([])
        guard let destination, let members, let claims else { return nil }
        if destination == AccessLogDestination.none, !(members + claims).isEmpty {
            section[\.destination]?.warn(
                "nothing is logged, so nothing can be chosen", hint: "write a path or `stdout`")
        }
        return AccessLogSettings(destination: destination, logged: members + claims)
    }

    private static func destination(_ value: Value) -> AccessLogDestination? {
        guard let text = value.someText(expected: "`stdout`, `none` or a path") else { return nil }
        switch text {
        case "stdout": return .stdout
        case "none": return AccessLogDestination.none
        default:
            guard let slip = PathSlip(text) else { return .file(path: value.reading.resolve(text)) }
            let name = slip == .word ? text : "access.log"
            return value.refuse("`\(text)` is no file", hint: "write `stdout`, `none`, or a path such as `./\(name)`")
        }
    }

    /// Reads the members, in the order of the closed list. Nil after an error, which is reported.
    static func members(_ value: Value) -> [LoggedMember]? {
        guard let elements = value.someElements(of: "member") else { return nil }
        let read = elements.readEach { $0.word(ChosenMember.self) }
        guard let read, !hasDuplicate(read.map(\.logged), elements) else { return nil }
        return ChosenMember.allCases.filter(read.contains).map(\.logged)
    }

    /// Reads the claims, in the order of the file. Nil after an error, which is reported.
    static func claims(_ value: Value) -> [LoggedMember]? {
        guard let elements = value.someElements(of: "claim") else { return nil }
        guard elements.count <= LoggedMember.mostClaims else {
            return value.refuse("names \(elements.count) claims", hint: "write at most \(LoggedMember.mostClaims)")
        }
        let read = elements.readEach { $0.claimPath() }?.map(LoggedMember.claim)
        guard let read, !hasDuplicate(read, elements) else { return nil }
        return read
    }

    /// True if a member stands twice, which is reported: a line cannot have it twice.
    private static func hasDuplicate(_ members: [LoggedMember], _ elements: [Value]) -> Bool {
        var seen: Set<LoggedMember> = []
        var isRight = true
        for (member, element) in zip(members, elements) where !seen.insert(member).inserted {
            element.report("stands here twice", hint: "keep one of them")
            isRight = false
        }
        return !isRight
    }

    /// Warns of chosen claims that show what `redact` hides elsewhere in the line.
    static func warnOfIdentifiers(_ value: Value?, _ configuration: Configuration) {
        let redaction = configuration.redaction
        guard let value, redaction.claims == .shown else { return }
        let issuers = configuration.issuers.map(\.trusted)
        let hidden = [
            ("subject", redaction.subject, issuers.flatMap(\.subject.claims)),
            ("client_id", redaction.clientID, issuers.flatMap(\.clientClaims)),
            ("token_id", redaction.tokenID, [ClaimPath(member: "jti")]),
            ("tenant", redaction.tenant, issuers.flatMap(\.tenantClaims)),
            ("organization", redaction.organization, issuers.flatMap(\.organizationClaims)),
            ("actor", redaction.actor, [ClaimPath(members: "act"), ClaimPath(members: "act", "sub")]),
            ("scopes", redaction.scopes, issuers.flatMap(\.scopeClaims)),
        ]
        for case .claim(let path) in configuration.accessLog.logged {
            let shown = hidden.first { $0.1 != .shown && $0.2.contains { $0.names == path.names } }
            guard let shown else { continue }
            value.warn(
                "the claim `\(path)` shows what `redact: {\(shown.0): …}` hides",
                hint: "write `redact: {claims: hash}` too")
        }
    }
}
