import TokenVerification

/// What the running configuration has to know of each caller, besides whether it may do what it asks.
public enum CallerQuestion: Sendable, Hashable {
    /// Who is charged. A token without the attribute is charged to its subject.
    case charged(CallerAttribute)
    /// Which of these values a claim has, or has among its elements; the first in their order.
    case choice(ClaimPath, among: [ClaimScalar])
    /// By what requests are spread over servers: the same in every process.
    case spread(CallerAttribute)
}

/// The answer for one token: 16 bytes, so that they can be kept with what is known of it.
public struct CallerAnswer: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The token has no such value.
    public static let none = CallerAnswer(high: 0, low: 0)

    public var isNone: Bool { self == .none }

    /// Of a choice: the index of the value.
    public var index: Int? { isNone ? nil : Int(exactly: low) }
}
