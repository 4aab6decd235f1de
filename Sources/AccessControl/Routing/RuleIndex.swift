import TokenVerification

/// Counts the rules of one table, in the order in which they were given.
public struct RuleIndex: TypedIndex {
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}
