import Callers
import HTTPMessages
import Quotas

/// The quotas of one rule, at least one. A class, so that requests share it.
final class RuleQuotas: Sendable {
    let all: [RuleQuota]
    /// nil: there are several.
    let only: RuleQuota?

    init?(_ all: [RuleQuota]) {
        guard let first = all.first else { return nil }
        self.all = all
        only = all.count == 1 ? first : nil
    }
}

/// A quota of one rule, with what is worked out once. A class, so that requests share it.
public final class RuleQuota: Sendable {
    public let quota: Quota
    private let number: UInt64
    /// The index of the question who is charged; nil: the client's address is.
    private let charged: Int?
    /// The index of the question which plan holds; nil: there is one rate.
    private let plan: Int?
    /// How the policy is stated, up to the partition key: for the rate without a plan, then for that of each.
    private let policies: [[UInt8]]

    init(_ quota: Quota, among questions: [CallerQuestion]) {
        self.quota = quota
        number = quota.number
        if case .attribute(let attribute) = quota.subject {
            charged = questions.firstIndex(of: .charged(attribute))
        } else {
            charged = nil
        }
        plan = quota.plans.flatMap { questions.firstIndex(of: .choice($0.claim, among: $0.values)) }
        policies = ([quota.rate] + (quota.plans?.rates ?? [])).map { rate in
            Array("\"\(quota.name)\";q=\(rate.requests);w=\(rate.period.inFullSeconds);pk=:".utf8)
        }
    }

    /// How a request is counted.
    ///
    /// - Parameters:
    ///   - answer: what is known of the caller, by the index of the question.
    ///   - address: what stands for the client's address; asked only if that is charged.
    func charge(_ answer: (Int) -> CallerAnswer, address: () -> CallerAnswer) -> (charge: QuotaCharge, plan: Int) {
        let plan = plan.flatMap { answer($0).index }.map { $0 &+ 1 } ?? 0
        let rates = quota.plans?.rates ?? []
        let rate = plan > 0 && plan <= rates.count ? rates[plan &- 1] : quota.rate
        let caller = charged.map(answer).flatMap { $0.isNone ? nil : $0 } ?? address()
        return (QuotaCharge(QuotaAccount(quota: number, high: caller.high, low: caller.low), rate), plan)
    }

    /// Whether the caller is known by what its token says; otherwise its address is charged.
    func knowsCaller(_ answer: (Int) -> CallerAnswer) -> Bool {
        charged.map { !answer($0).isNone } ?? false
    }

    fileprivate func policy(_ plan: Int) -> [UInt8] { policies.indices.contains(plan) ? policies[plan] : [] }

    fileprivate var name: String { quota.name }
}

/// How a request's caller stands under the quota that permits least: for its client
/// (draft-ietf-httpapi-ratelimit-headers-10).
///
/// A class, because few requests have them and all carry a place for them.
public final class RateLimitFields: Sendable {
    public let quota: RuleQuota
    private let plan: Int
    private let standing: QuotaStanding
    /// Stands for the caller: a part of a digest under a secret.
    private let partition: UInt64

    init(_ quota: RuleQuota, plan: Int, _ standing: QuotaStanding, partition: UInt64) {
        self.quota = quota
        self.plan = plan
        self.standing = standing
        self.partition = partition
    }

    /// Writes `RateLimit-Policy` and `RateLimit`; they join what an upstream states, since both are lists.
    public func write(into head: inout some HeadOutput) {
        var value = quota.policy(plan)
        Self.append(base64: partition, to: &value)
        value.append(UInt8(ascii: ":"))
        _ = head.field("ratelimit-policy", value.span)
        value.removeAll(keepingCapacity: true)
        value.append(UInt8(ascii: "\""))
        value.append(contentsOf: quota.name.utf8)
        value.append(contentsOf: "\";r=".utf8)
        Self.append(decimal: standing.remaining, to: &value)
        value.append(contentsOf: ";t=".utf8)
        Self.append(decimal: standing.wait.inFullSeconds, to: &value)
        _ = head.field("ratelimit", value.span)
    }

    private static func append(decimal number: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        while divisor <= number / 10 { divisor &*= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }

    /// RFC 4648 §4.
    private static func append(base64 word: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 58, through: 4, by: -6) { bytes.append(digit(word &>> UInt64(shift))) }
        bytes.append(digit(word &<< 2))
        bytes.append(UInt8(ascii: "="))
    }

    private static func digit(_ value: UInt64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value & 63)
        return switch value {
        case 0..<26: UInt8(ascii: "A") &+ value
        case 26..<52: UInt8(ascii: "a") &+ value &- 26
        case 52..<62: UInt8(ascii: "0") &+ value &- 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
