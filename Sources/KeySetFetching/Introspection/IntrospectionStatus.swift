import KeySets
import TokenIntrospection
import TokenVerification

/// How introspection at one issuer is doing, for readiness, metrics and the console.
public struct IntrospectionStatus: Sendable, Hashable {
    public var issuer: String
    public var endpoint: DocumentURL
    public var counters: IntrospectionCounters
    /// Answers that are kept, and questions that are under way.
    public var keptAnswers: Int
    public var questionsUnderWay: Int
    /// Whether the issuer is left alone after failures, or one question is on trial.
    public var isPaused: Bool
    /// When a question may go out again; nil: now.
    public var nextQuestion: NumericDate?
    /// Why the last question failed; nil: it did not.
    public var lastFailure: IntrospectionFailure?
    /// When the issuer last answered; nil: never.
    public var lastSuccess: NumericDate?
}
