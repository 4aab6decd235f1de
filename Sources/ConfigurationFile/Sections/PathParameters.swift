/// Treatment of path parameters (`;`) by a resource.
enum PathParameters: String, CaseIterable {
    case refuse, keep

    private static let hint = "write the path without `;` and what follows it in the segment"

    /// Reports a resource's place (host and path) that no request can match because of path parameters.
    func judge(_ value: Value) {
        switch self {
        case .refuse: value.warn("no request gets here: a path with `;` is refused", hint: Self.hint)
        case .keep:
            value.report("no request gets here: a segment is matched without its path parameters", hint: Self.hint)
        }
    }

    /// Reports a path that no request can match. With `keep` it is an error, because its requests match another rule,
    /// which may require less.
    func judge(_ member: Value.Member, _ subject: String) {
        switch self {
        case .refuse: member.warnKey("\(subject): a path with `;` is refused", hint: Self.hint)
        case .keep: member.reportKey("\(subject): a segment is matched without its path parameters", hint: Self.hint)
        }
    }
}
