import TokenVerification

extension AccessLogSettings: Defaulted {
    static var defaults: Self { Self() }
}

/// Member of a line that has a value of the token and must be chosen.
enum ChosenMember: String, CaseIterable {
    case scopes, actor, tenant, organization

    var logged: LoggedMember {
        switch self {
        case .scopes: .scopes
        case .actor: .actor
        case .tenant: .tenant
        case .organization: .organization
        }
    }
}

/// Configuration keys of `access_log` in its mapping form.
final class AccessLogKeys: SectionKeys {
    static let section = SectionReference(
        "access_log",
        "The access log. Values of a token are shown once its signature is verified, cut after \(LoggedValue.longest) bytes.",
        of: AccessLogKeys.self)

    let destination = Key(
        "to", AccessLogReader.destinationForm, .value("stdout"), "Where the lines go.", example: "./access.log")
    let members = Key(
        "members", KeyForm(.list(.words(of: ChosenMember.self)), AccessLogReader.members),
        .meaning("there are none of them"),
        "Members that each line has besides: the token's scopes, actor (`act.sub`), tenant or organization.",
        example: "[scopes, tenant]")
    let claims = Key(
        "claims", KeyForm(.list(.text("a claim's name or path")), AccessLogReader.claims), .meaning("there are none"),
        "Claims in the member `claims`, at most \(LoggedMember.mostClaims). `redact: {claims: hash}` hides their values.",
        example: "[department, /realm_access/roles]")
}
