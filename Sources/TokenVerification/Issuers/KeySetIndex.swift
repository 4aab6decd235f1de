/// Counts the key sets of one issuer.
public struct KeySetIndex: TypedIndex {
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}
