import Callers
import NetworkNames
import TokenVerification

/// One quota of the file: who is counted, and how many requests each may have.
public struct Quota: Sendable, Hashable {
    /// The operator's; logs, metrics and answers use it.
    public let name: String
    public let subject: Subject
    /// Where no plan says another.
    public let rate: QuotaRate
    /// Rates by the value of a claim; nil: there is one rate.
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

    /// Who is charged. A request without a token is charged to its address, whatever this is.
    public enum Subject: Sendable, Hashable {
        case attribute(CallerAttribute)
        case address
    }

    /// Rates by the value of a claim.
    public struct Plans: Sendable, Hashable {
        public let claim: ClaimPath
        public let values: [ClaimScalar]
        /// One for each value.
        public let rates: [QuotaRate]

        public init(claim: ClaimPath, _ plans: [(value: ClaimScalar, rate: QuotaRate)]) {
            self.claim = claim
            values = plans.map(\.value)
            rates = plans.map(\.rate)
        }
    }

    /// What becomes of requests while whoever counts for all processes cannot be asked.
    public enum WhenUnreachable: String, Sendable, Hashable, CaseIterable {
        /// Each process permits its part.
        case local
        /// They are 503.
        case refuse
    }

    /// Stands for the name in keys: the same in every process and after every reload.
    public var number: UInt64 { FNV1a.hash(name.utf8.span) }

    /// What has to be known of a token for it.
    public var questions: [CallerQuestion] {
        var questions: [CallerQuestion] = []
        if case .attribute(let attribute) = subject { questions.append(.charged(attribute)) }
        if let plans { questions.append(.choice(plans.claim, among: plans.values)) }
        return questions
    }
}
