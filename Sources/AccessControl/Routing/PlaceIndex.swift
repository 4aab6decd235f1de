import TokenVerification

/// Index of a place in a table, in the order in which the places were added.
public struct PlaceIndex: TypedIndex {
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}
