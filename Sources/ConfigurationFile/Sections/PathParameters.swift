/// What a resource does with path parameters (`;`).
enum PathParameters: String, CaseIterable {
    case refuse, keep

    private static let hint = "write the path without `;` and what follows it in the segment"

    /// Reports a place that no request can be at.
    func judge(_ value: Value) {
        switch self {
        case .refuse: value.warn("no request gets here: a path with `;` is refused", hint: Self.hint)
        case .keep:
            value.report("no request gets here: a segment is matched without its path parameters", hint: Self.hint)
        }
    }

    /// Reports a path that no request can have. Where parameters are kept its requests fall under another rule, which
    /// may ask for less.
    func judge(_ member: Value.Member, _ subject: String) {
        switch self {
        case .refuse: member.warnKey("\(subject): a path with `;` is refused", hint: Self.hint)
        case .keep: member.reportKey("\(subject): a segment is matched without its path parameters", hint: Self.hint)
        }
    }
}
