import NetworkNames

/// One lookup of a name: which full names it asks for, and what it has learnt when it ends. No channel, no clock, no
/// thread.
///
/// Both families of one full name are asked for at once, and both must have answered before the next one is. So the
/// addresses of two hosts are never mixed, and a name server's failure is never taken for a name that does not exist.
/// Only the addresses of one family do not wait long for the other's.
struct NameSearch {
    enum Action: Hashable {
        /// Ask for the addresses of this full name, both families.
        case ask(String)
        case wait
        case end(NameAnswer)
    }

    private var rest: ArraySlice<String>
    private var answers: [AddressFamily: RecordAnswer] = [:]

    init(_ fullNames: [String]) {
        rest = fullNames[...]
    }

    mutating func begin() -> Action { next() }

    mutating func answered(_ family: AddressFamily, _ answer: RecordAnswer) -> Action {
        answers[family] = answer
        guard let ipv4 = answers[.ipv4], let ipv6 = answers[.ipv6] else { return .wait }
        return switch (ipv4, ipv6) {
        case (.none, .none): next()
        // The next name could be another host, to which requests would go whenever a name server fails.
        case (.failed(let cause), .failed), (.failed(let cause), .none), (.none, .failed(let cause)):
            .end(.failed(cause))
        case (.addresses(let addresses, let seconds), .none): .end(Self.found(addresses, [], seconds))
        case (.none, .addresses(let addresses, let seconds)): .end(Self.found([], addresses, seconds))
        case (.addresses(let addresses, let seconds), .failed):
            .end(Self.found(addresses, [], seconds, unanswered: .ipv6))
        case (.failed, .addresses(let addresses, let seconds)):
            .end(Self.found([], addresses, seconds, unanswered: .ipv4))
        case (.addresses(let ipv4, let seconds4), .addresses(let ipv6, let seconds6)):
            .end(Self.found(ipv4, ipv6, min(seconds4, seconds6)))
        }
    }

    /// Whether one family's addresses are known, and nothing of the other's.
    var hasHalf: Bool {
        guard answers.count == 1, case .addresses? = answers.values.first else { return false }
        return true
    }

    /// The other family's records are late, as they are where a middlebox drops the questions for them: they count as
    /// failed.
    mutating func otherIsLate() -> Action {
        guard hasHalf, let family = answers.keys.first else { return .wait }
        return answered(family == .ipv4 ? .ipv6 : .ipv4, .failed("no answer in time"))
    }

    private mutating func next() -> Action {
        answers = [:]
        guard let name = rest.popFirst() else { return .end(.notFound) }
        return .ask(name)
    }

    private static func found(
        _ ipv4: [IPAddress], _ ipv6: [IPAddress], _ seconds: Int, unanswered: AddressFamily? = nil
    ) -> NameAnswer {
        let second = bounded(ipv6, max(FoundAddresses.most / 2, FoundAddresses.most &- ipv4.count))
        let first = bounded(ipv4, FoundAddresses.most &- second.count)
        return .addresses(FoundAddresses(second + first, lifetime: .seconds(max(0, seconds)), unanswered: unanswered))
    }

    /// The same ones however the name server turns its answers, or connections would end with every lookup.
    private static func bounded(_ addresses: [IPAddress], _ most: Int) -> [IPAddress] {
        guard addresses.count > most else { return addresses }
        return Array(addresses.sorted { ($0.high, $0.low) < ($1.high, $1.low) }.prefix(most))
    }
}
