/// An index of one kind of element, so that it cannot be confused with an index of another kind.
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
