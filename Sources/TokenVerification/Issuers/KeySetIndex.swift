/// Index of a key set of one issuer.
public struct KeySetIndex: TypedIndex {
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}
