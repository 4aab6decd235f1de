import Callers
import HTTPMessages
import Quotas

/// The quotas of one rule, at least one. A class, so that requests share it.
final class RuleQuotas: Sendable {
    let all: [RuleQuota]
    /// The quota, if there is one. Nil if there are several.
    let only: RuleQuota?

    init?(_ all: [RuleQuota]) {
        guard let first = all.first else { return nil }
        self.all = all
        only = all.count == 1 ? first : nil
    }
}

/// A quota of one rule, with precomputed data. A class, so that requests share it.
public final class RuleQuota: Sendable {
    public let quota: Quota
    private let number: UInt64
    /// Index of the caller question that identifies the charged caller. Nil if the client's address is charged.
    private let charged: Int?
    /// Index of the caller question that selects the plan. Nil if there is one rate.
    private let plan: Int?
    /// Beginning of the `RateLimit-Policy` value, up to the partition key: first for the rate without a plan, then for
    /// each plan.
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

    /// The charge for one request.
    ///
    /// - Parameters:
    ///   - answer: answers a caller question, by its index.
    ///   - address: digest of the client's address; called only if that is charged.
    func charge(_ answer: (Int) -> CallerAnswer, address: () -> CallerAnswer) -> (charge: QuotaCharge, plan: Int) {
        let plan = plan.flatMap { answer($0).index }.map { $0 &+ 1 } ?? 0
        let rates = quota.plans?.rates ?? []
        let rate = plan > 0 && plan <= rates.count ? rates[plan &- 1] : quota.rate
        let caller = charged.map(answer).flatMap { $0.isNone ? nil : $0 } ?? address()
        return (QuotaCharge(QuotaAccount(quota: number, high: caller.high, low: caller.low), rate), plan)
    }

    /// True if the token identifies the caller. Otherwise its address is charged.
    func knowsCaller(_ answer: (Int) -> CallerAnswer) -> Bool {
        charged.map { !answer($0).isNone } ?? false
    }

    fileprivate func policy(_ plan: Int) -> [UInt8] { policies.indices.contains(plan) ? policies[plan] : [] }

    fileprivate var name: String { quota.name }
}

/// State of a caller under its tightest quota, as response fields for the client
/// (draft-ietf-httpapi-ratelimit-headers-10).
///
/// A class, because few requests have them and all carry a slot for them.
public final class RateLimitFields: Sendable {
    public let quota: RuleQuota
    private let plan: Int
    private let standing: QuotaStanding
    /// Identifies the caller: part of a digest under a secret.
    private let partition: UInt64

    init(_ quota: RuleQuota, plan: Int, _ standing: QuotaStanding, partition: UInt64) {
        self.quota = quota
        self.plan = plan
        self.standing = standing
        self.partition = partition
    }

    /// Writes `RateLimit-Policy` and `RateLimit`. Both are lists, so they add to the fields of the upstream.
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

    /// Base64 of the word's eight bytes (RFC 4648 §4).
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
