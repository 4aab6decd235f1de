/// An index that counts things of one kind, so that it cannot be taken for an index of another.
public protocol TypedIndex: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    var rawValue: Int { get }

    init(_ rawValue: Int)
}

extension TypedIndex {
    @inlinable
    public init(integerLiteral value: Int) {
        self.init(value)
    }

    public var description: String { "\(rawValue)" }
}
