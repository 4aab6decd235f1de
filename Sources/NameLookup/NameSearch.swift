import NetworkNames

/// State machine of one lookup: the full names to ask for, and the result. No channel, no clock, no thread.
///
/// It asks for both address families of a full name at once, and for the next full name only after both have answered.
/// The result therefore never mixes the addresses of two hosts, and a name server's failure never counts as a missing
/// name. If one family has addresses, the search waits only a short time for the other.
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
        // The next full name could be another host. Requests would then go there whenever a name server fails.
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

    /// True if one family has addresses and the other has not answered.
    var hasHalf: Bool {
        guard answers.count == 1, case .addresses? = answers.values.first else { return false }
        return true
    }

    /// Counts the family that has not answered as failed, because it is late. Middleboxes that drop its questions cause
    /// that.
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

    /// Addresses, limited to `most`. The selection does not depend on their order, which name servers rotate. Otherwise
    /// connections would end with every lookup.
    private static func bounded(_ addresses: [IPAddress], _ most: Int) -> [IPAddress] {
        guard addresses.count > most else { return addresses }
        return Array(addresses.sorted { ($0.high, $0.low) < ($1.high, $1.low) }.prefix(most))
    }
}
