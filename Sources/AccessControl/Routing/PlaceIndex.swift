import TokenVerification

/// Counts the places of one table, in the order in which they were given.
public struct PlaceIndex: TypedIndex {
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}
