import TokenVerification

/// Fact about each caller that the running configuration needs, apart from access decisions.
public enum CallerQuestion: Sendable, Hashable {
    /// Caller that is charged by a quota. A token without the attribute is charged to its subject.
    case charged(CallerAttribute)
    /// Index of the first of these values that a claim equals, or contains as an element; it selects a quota plan.
    case choice(ClaimPath, among: [ClaimScalar])
    /// Hash by which requests are spread over upstream targets; the same in every process.
    case spread(CallerAttribute)
}

/// Answer to a caller question for one token. It has 16 bytes, so that it fits into a token's cache record.
public struct CallerAnswer: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The token has no value for the question.
    public static let none = CallerAnswer(high: 0, low: 0)

    public var isNone: Bool { self == .none }

    /// Index of the value, for a `choice` question. Nil if the token has none of the values.
    public var index: Int? { isNone ? nil : Int(exactly: low) }
}
