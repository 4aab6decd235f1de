import KeySets
import NetworkNames
import TokenIntrospection
import TokenVerification

/// How introspection at one issuer is doing, for readiness, metrics and the console.
public struct IntrospectionStatus: Sendable, Hashable {
    public var issuer: String
    /// Where it is asked; nil: that has not been learnt yet, or was forgotten after a failure.
    public var endpoint: HTTPURL?
    public var counters: IntrospectionCounters
    /// Answers that are kept.
    public var keptAnswers: Int
    /// Lookups of a kept answer that found one, and that found none.
    public var cacheHits: UInt64
    public var cacheMisses: UInt64
    /// Introspection requests that are under way.
    public var questionsUnderWay: Int
    /// Requests that wait for an answer.
    public var requestsWaiting: Int
    /// Whether introspection pauses after failures, or a single trial request is under way.
    public var isPaused: Bool
    /// When the next introspection request may be sent; nil: now.
    public var nextQuestion: NumericDate?
    /// Why the last introspection request failed; nil: it did not.
    public var lastFailure: IntrospectionFailure?
    /// When the issuer last answered; nil: never.
    public var lastSuccess: NumericDate?
}
