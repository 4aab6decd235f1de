import Files

/// Unfinished lookups, and the channel through which they ask name servers.
// SAFETY: only `NameServers.run()` uses it, on one serial queue.
final class NameLookups: @unchecked Sendable {
    private struct Lookup {
        let request: NameRequest
        var search: NameSearch
        /// Time at which the addresses of the first family arrived. Nil while neither family has answered, or once both
        /// have.
        var hasHalfSince: ContinuousClock.Instant?
    }

    private let settings: NameServerSettings
    private let wakeup: Wakeup
    private var channel: ResolverChannel?
    private var hosts: HostsFile?
    private var lookups: [UInt64: Lookup] = [:]
    private var lastLookup: UInt64 = 0
    /// Stamp of the name servers' file, taken before the channel was made from it. Nil before that, and if the file
    /// could not be examined.
    private var stamp: FileStamp?
    private var lookedAt: ContinuousClock.Instant?

    init(_ settings: NameServerSettings, _ wakeup: Wakeup) {
        self.settings = settings
        self.wakeup = wakeup
    }

    var isIdle: Bool { lookups.isEmpty }

    // MARK: Beginning

    func begin(_ requests: [NameRequest]) {
        guard !requests.isEmpty else { return }
        do {
            let (channel, hosts) = try (currentChannel(at: .now), openHosts())
            for request in requests { begin(request, channel, hosts) }
        } catch {
            for request in requests { request.completion(.failed(error.text)) }
        }
    }

    private func begin(_ request: NameRequest, _ channel: ResolverChannel, _ hosts: HostsFile) {
        let addresses = hosts.addresses(of: request.name)
        guard addresses.isEmpty else { return request.completion(.addresses(FoundAddresses(addresses, lifetime: nil))) }
        lastLookup &+= 1
        ask(lastLookup, request, channel)
    }

    private func ask(_ number: UInt64, _ request: NameRequest, _ channel: ResolverChannel) {
        var search = NameSearch(channel.searchList.fullNames(of: request.name))
        let action = search.begin()
        lookups[number] = Lookup(request: request, search: search)
        perform(action, number, channel)
    }

    private func openHosts() throws(ResolverFailure) -> HostsFile {
        if let hosts { return hosts }
        let opened = try HostsFile(settings)
        hosts = opened
        return opened
    }

    // MARK: The name servers' file

    /// Returns the channel, or a new one if the file of name servers has changed. That happens in containers, and when
    /// a machine moves to another network.
    private func currentChannel(at now: ContinuousClock.Instant) throws(ResolverFailure) -> ResolverChannel {
        if let channel, let lookedAt, now - lookedAt < settings.lookInterval { return channel }
        lookedAt = now
        let current = FileStamp(settings.file)
        if let channel, current == stamp { return channel }
        let opened = try ResolverChannel(settings)
        channel = opened
        stamp = current
        // The old name servers may be out of reach, so running lookups ask again.
        for (number, lookup) in lookups { ask(number, lookup.request, opened) }
        return opened
    }

    // MARK: Advancing

    /// Waits until name servers answer or time out, or for a wake-up. Then completes the lookups that have ended.
    func advance() {
        // Questions that could not be sent already have their answers.
        takeAnswers()
        guard let channel, !isIdle else { return }
        let since = lookups.values.compactMap(\.hasHalfSince).min()
        channel.process(wakeup, atMost: since.map { $0 + settings.familyPatience - .now })
        takeAnswers()
        endLate(channel, at: .now)
    }

    /// Completes lookups that have waited too long for the other address family.
    private func endLate(_ channel: ResolverChannel, at now: ContinuousClock.Instant) {
        for (number, lookup) in lookups {
            guard let since = lookup.hasHalfSince, now - since >= settings.familyPatience,
                let action = lookups[number]?.search.otherIsLate()
            else { continue }
            perform(action, number, channel)
        }
    }

    private func takeAnswers() {
        guard let channel else { return }
        while case let answers = channel.takeAnswers(), !answers.isEmpty {
            for (question, answer) in answers {
                guard let action = lookups[question.lookup]?.search.answered(question.family, answer) else { continue }
                perform(action, question.lookup, channel)
                let hasHalf = lookups[question.lookup]?.search.hasHalf ?? false
                lookups[question.lookup]?.hasHalfSince = hasHalf ? .now : nil
            }
        }
    }

    private func perform(_ action: NameSearch.Action, _ number: UInt64, _ channel: ResolverChannel) {
        switch action {
        case .ask(let name): channel.ask(for: name, number)
        case .wait: break
        case .end(let answer): lookups.removeValue(forKey: number)?.request.completion(answer)
        }
    }
}
