import TokenVerification

/// Whether requests that a resource or a rule does not permit are refused.
public enum EnforcementMode: Sendable, Hashable {
    case enforce
    /// Until that moment they are forwarded as nobody's, and logs and metrics state what would have become of them.
    case observe(until: NumericDate)

    public func isObserving(at now: NumericDate) -> Bool {
        if case .observe(until: let end) = self { now < end } else { false }
    }
}
