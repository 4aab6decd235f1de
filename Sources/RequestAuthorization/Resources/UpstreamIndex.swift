import TokenVerification

/// Counts the upstream groups of one configuration, over all of its resources.
public struct UpstreamIndex: TypedIndex {
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}
