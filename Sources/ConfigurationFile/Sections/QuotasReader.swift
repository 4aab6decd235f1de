import AccessControl
import Callers
import Quotas
import RequestAuthorization
import TokenVerification

/// Quotas of the file by name. The value is nil for a quota with errors.
struct NamedQuotas {
    private var quotas: [String: Quota?] = [:]
    private var members: [Value.Member] = []
    /// Most quotas in one list.
    private static let most = 16

    init(_ value: Value?) {
        guard let members = value?.members(expected: "a mapping of names to quotas") else { return }
        if members.isEmpty {
            value?.reportMissing("there is no quota", hint: "write {per-user: {requests: 100, per: 1m}}")
        }
        for member in members {
            quotas[member.key] = .some(QuotaReader.quota(member))
            self.members.append(member)
        }
    }

    /// Reads a list of quota names.
    func named(_ value: Value?) -> [Quota] {
        guard let elements = value?.someElements(of: "quota", expected: "a quota's name or a list of them") else {
            return []
        }
        if elements.count > Self.most { value?.report("names \(elements.count) quotas, and \(Self.most) are the most") }
        var found: [Quota] = []
        for element in elements.prefix(Self.most) {
            guard let name = element.someText(expected: "a quota's name") else { continue }
            guard let quota = quotas[name] else {
                let hint = NearestName.of(name, among: members.map(\.key)).map { "did you mean `\($0)`?" }
                element.report("there is no quota `\(name)`", hint: hint ?? "write it under `quotas`")
                continue
            }
            guard !found.contains(where: { $0.name == name }) else {
                element.report("`\(name)` stands here twice", hint: "keep one of them")
                continue
            }
            if let quota { found.append(quota) }
        }
        return found
    }

    func warnOfUnused(_ resources: IndexedBy<ResourceIndex, ProtectedResource>) {
        let used = Self.names(in: resources)
        for member in members where !used.contains(member.key) {
            member.warnKey("no resource and no rule has this quota", hint: "write `quotas: [\(member.key)]` on one")
        }
    }

    /// Names of the quotas that requests count against.
    static func names(in resources: IndexedBy<ResourceIndex, ProtectedResource>) -> Set<String> {
        Set(resources.flatMap { $0.quotas.flatMap(\.self) }.map(\.name))
    }

    /// Warns of quotas that count by client address. At a door they apply only if the proxy states addresses.
    func warnOfAddresses(_ resources: IndexedBy<ResourceIndex, ProtectedResource>) {
        let anonymous = Set(resources.flatMap(\.quotasOfAnonymous).map(\.name))
        let used = Self.names(in: resources)
        for member in members where used.contains(member.key) {
            let isByAddress = quotas[member.key]??.subject == .address
            guard isByAddress || anonymous.contains(member.key) else { continue }
            let callers = isByAddress ? "callers are" : "a caller without a token is"
            member.warnKey(
                "\(callers) counted by address, and at a door a client has one only if the proxy states `X-Forwarded-For`",
                hint: DoorsReader.addressHint)
        }
    }
}

/// Reads one quota.
enum QuotaReader {
    private static let longestName = 64

    static func quota(_ member: Value.Member) -> Quota? {
        let hasName = isName(member.key)
        if !hasName {
            member.reportKey(
                "`\(member.key)` cannot be a quota's name",
                hint: "use letters, digits, `-`, `_` and `.`: the name is sent to clients in `RateLimit`"
            )
        }
        guard let section = Section(member.value, of: QuotaKeys.self) else { return nil }
        let (requests, burst) = (section.read(\.requests), section.read(\.burst))
        let by = section.read(\.by).or(By(subject: .attribute(.subject)))
        let unreachable = section.read(\.whenUnreachable).value
        let period = section.required(\.per)
        if requests.isAbsent, let by, by.values == nil { _ = section.required(\.requests) }
        guard hasName, let by, let unreachable, let period, !requests.isWrong, !burst.isWrong,
            let count = requests.value ?? by.values?.map(\.requests).min()
        else { return nil }
        let rate = { QuotaRate(requests: $0, period: period, burst: burst.value) }
        let plans = by.values.flatMap { values in
            by.claim.map { Quota.Plans(claim: $0, values.map { (ClaimScalar.string($0.value), rate($0.requests)) }) }
        }
        return Quota(name: member.key, by: by.subject, rate: rate(count), plans: plans, whenUnreachable: unreachable)
    }

    /// True if the text is a valid quota name: it is sent in response fields unchanged (RFC 9651 §3.3.3).
    private static func isName(_ text: String) -> Bool {
        let others = Set("-_.".utf8)
        return (1...longestName).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || others.contains(byte)
            }
    }

    // MARK: By

    struct By {
        let subject: Quota.Subject
        var claim: ClaimPath?
        /// Rates by value of the claim, in file order. Nil if there is only one rate.
        var values: [(value: String, requests: Int)]?
    }

    static func by(_ value: Value) -> By? {
        guard value.isMapping else {
            return switch value.word(QuotaKeys.Subject.self) {
            case .subject?: By(subject: .attribute(.subject))
            case .client?: By(subject: .attribute(.client))
            case .tenant?: By(subject: .attribute(.tenant))
            case .organization?: By(subject: .attribute(.organization))
            case .address?: By(subject: .address)
            case nil: nil
            }
        }
        guard let section = Section(value, of: QuotaClaimKeys.self) else { return nil }
        let values = section.read(\.values)
        guard let claim = section.required(\.claim), !values.isWrong else { return nil }
        guard let values = values.value else { return By(subject: .attribute(.claim(claim))) }
        return By(subject: .attribute(.subject), claim: claim, values: values)
    }

    static func values(_ value: Value) -> [(value: String, requests: Int)]? {
        guard let members = value.members(expected: "a mapping of values to numbers of requests") else { return nil }
        guard !members.isEmpty else { return value.refuse("names no value", hint: "write {gold: 1000, free: 60}") }
        return members.readEach { member in
            QuotaKeys.count.read(member.value).map { (value: member.key, requests: $0) }
        }
    }
}

extension ProtectedResource {
    /// Quotas that requests without a token count against.
    fileprivate var quotasOfAnonymous: [Quota] {
        policies.indexed.flatMap { rule -> [Quota] in
            guard rule.element == .public || rule.element.permitsAnonymous else { return [] }
            return quotas[rule.index] ?? []
        }
    }
}
