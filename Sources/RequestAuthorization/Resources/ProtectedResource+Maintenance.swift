import AccessControl
import TokenVerification

extension ProtectedResource {
    /// Maintenance that requests of a rule meet: the resource's and the rule's own.
    ///
    /// - Parameter rule: index of the rule. Nil for requests without a rule.
    public func maintenance(of rule: RuleIndex?) -> [Maintenance] {
        [maintenance, rule.flatMap { ruleMaintenance[$0] ?? nil }].compactMap(\.self)
    }

    /// The maintenance that refuses requests of a rule now: of two the one with the longer `retryAfter`. Nil if they
    /// are not refused.
    ///
    /// - Parameter rule: index of the rule. Nil for requests without a rule.
    public func maintenance(of rule: RuleIndex?, at now: NumericDate) -> Maintenance? {
        maintenance(of: rule).filter { $0.isOngoing(at: now) }.max { $0.retryAfter < $1.retryAfter }
    }

    /// True if the resource or a rule has a maintenance, even one that is over.
    var hasMaintenance: Bool { maintenance != nil || ruleMaintenance.contains { $0 != nil } }
}
