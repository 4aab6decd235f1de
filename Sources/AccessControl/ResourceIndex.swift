import TokenVerification

/// Index of a protected resource in a configuration.
public struct ResourceIndex: TypedIndex {
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}
