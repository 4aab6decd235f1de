import Callers
import NetworkNames
import TokenVerification

/// A quota of the configuration: the attribute that callers are counted by, and the number of requests each may send.
public struct Quota: Sendable, Hashable {
    /// Name given by the operator, used in logs, metrics and responses.
    public let name: String
    public let subject: Subject
    /// Rate of callers without a plan.
    public let rate: QuotaRate
    /// Rates by the value of a claim. Nil if there is one rate.
    public let plans: Plans?
    public let whenUnreachable: WhenUnreachable

    public init(
        name: String, by subject: Subject, rate: QuotaRate, plans: Plans? = nil,
        whenUnreachable: WhenUnreachable = .local
    ) {
        self.name = name
        self.subject = subject
        self.rate = rate
        self.plans = plans
        self.whenUnreachable = whenUnreachable
    }

    /// Attribute of the caller that is charged. A request without a token is always charged to its address.
    public enum Subject: Sendable, Hashable {
        case attribute(CallerAttribute)
        case address
    }

    /// Rates by the value of a claim.
    public struct Plans: Sendable, Hashable {
        public let claim: ClaimPath
        public let values: [ClaimScalar]
        /// Rates, one for each value.
        public let rates: [QuotaRate]

        public init(claim: ClaimPath, _ plans: [(value: ClaimScalar, rate: QuotaRate)]) {
            self.claim = claim
            values = plans.map(\.value)
            rates = plans.map(\.rate)
        }
    }

    /// Treatment of requests while the store shared by all processes does not answer.
    public enum WhenUnreachable: String, Sendable, Hashable, CaseIterable {
        /// Each process permits its share of the rate.
        case local
        /// Requests are rejected with 503.
        case refuse
    }

    /// Hash of the name, used in keys: the same in every process and after every reload.
    public var number: UInt64 { FNV1a.hash(name.utf8.span) }

    /// Questions about a caller that the quota needs answered.
    public var questions: [CallerQuestion] {
        var questions: [CallerQuestion] = []
        if case .attribute(let attribute) = subject { questions.append(.charged(attribute)) }
        if let plans { questions.append(.choice(plans.claim, among: plans.values)) }
        return questions
    }
}
