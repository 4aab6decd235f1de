import TokenVerification

/// Index of a rule in a table, in the order in which the rules were added.
public struct RuleIndex: TypedIndex {
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}
