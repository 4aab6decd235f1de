import RequestAuthorization

/// Reads how requests of a resource or a rule are forwarded: `limits`, `timeouts` and `response`.
struct RuleForwardingReader {
    let bounds: BoundsReader
    /// True if the resource has no upstream.
    let isForDoorsAlone: Bool

    func bounds(of resource: Section<ResourceKeys>) -> ForwardingBounds {
        bounds.read(limits: resource[\.limits], timeouts: resource[\.timeouts], isForDoorsAlone: isForDoorsAlone)
    }

    func bounds(of rule: Value) -> ForwardingBounds {
        bounds.read(
            limits: rule.member(\RequirementKeys.limits), timeouts: rule.member(\RequirementKeys.timeouts),
            isForDoorsAlone: isForDoorsAlone)
    }

    func edits(of resource: Section<ResourceKeys>) -> ResponseEdits { edits(resource[\.response]) }

    func edits(of rule: Value) -> ResponseEdits { edits(rule.member(\RequirementKeys.response)) }

    private func edits(_ value: Value?) -> ResponseEdits {
        ResponseReader(hasDoors: bounds.hasDoors).read(value, isForDoorsAlone: isForDoorsAlone)
    }
}
