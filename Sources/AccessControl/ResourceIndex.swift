import TokenVerification

/// Counts the protected resources of one configuration.
public struct ResourceIndex: TypedIndex {
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}
