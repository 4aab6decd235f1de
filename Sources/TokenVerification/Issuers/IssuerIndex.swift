/// Index of an issuer in one configuration.
public struct IssuerIndex: TypedIndex {
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}
