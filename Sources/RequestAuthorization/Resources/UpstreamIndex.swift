import TokenVerification

/// Index of an upstream group among all upstream groups of a configuration.
public struct UpstreamIndex: TypedIndex {
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}
