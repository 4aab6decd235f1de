import AccessControl
import TokenVerification

extension RequestAuthorizer {
    /// Edits of the response to a request of a rule. Nil if neither the resource nor the rule edits anything.
    ///
    /// - Parameter rule: index of the rule. Nil for requests without a rule.
    public func responseEdits(of rule: RuleIndex?, _ resource: ResourceIndex) -> PreparedResponseEdits? {
        compiled[resource]?.responseEdits(of: rule)
    }
}

extension CompiledResource {
    fileprivate func responseEdits(of rule: RuleIndex?) -> PreparedResponseEdits? {
        guard let rule, let edits = ruleResponseEdits[rule] else { return commonResponseEdits }
        return edits
    }
}
