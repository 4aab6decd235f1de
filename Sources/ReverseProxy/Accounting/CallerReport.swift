import RequestHistory

/// Heaviest callers of a gateway in the last minutes, as the access log shows them after `redact`.
public struct CallerReport: Sendable, Hashable {
    public struct Caller: Sendable, Hashable {
        /// Name of the issuer in the file. Nil for an address.
        public let issuer: String?
        /// Client ID, subject, address, or the pseudonym of one.
        public let name: String
        /// True if the name is longer, and only its beginning was kept.
        public let isCut: Bool
        /// Largest number of requests that the caller can have sent.
        public let count: UInt64
        /// Difference between `count` and the smallest number of requests that the caller can have sent.
        public let error: UInt64
    }

    public struct Ranking: Sendable, Hashable {
        /// At most 64 callers, largest count first.
        public let callers: [Caller]
        /// Number of requests that were counted: those with such a name.
        public let total: UInt64
        /// Largest number of requests that a caller can have sent who is not listed.
        public let unlisted: UInt64
    }

    public let clients: Ranking
    public let subjects: Ranking
    public let addresses: Ranking
    /// Time in which the requests ended, up to now. Less than five minutes.
    public let length: Duration

    /// - Parameter now: monotonic time in nanoseconds.
    init(_ windows: [CallerWindows], at now: Int64) {
        clients = Ranking(windows.map(\.clients), at: now)
        subjects = Ranking(windows.map(\.subjects), at: now)
        addresses = Ranking(windows.map(\.addresses), at: now)
        length = .nanoseconds(windows.map { $0.addresses.length(at: now) }.max() ?? 0)
    }
}

extension CallerReport.Ranking {
    init(_ windows: [HeavyHitterWindow], at now: Int64) {
        let summary = HeavyHitterSummary(windows, at: now)
        callers = summary.entries.map { CallerReport.Caller($0) }
        (total, unlisted) = (summary.total, summary.unlisted)
    }
}

extension CallerReport.Caller {
    /// - Parameter begin: length in bytes of what stands before the name of the issuer.
    init(_ entry: HeavyHitterSummary.Entry, behind begin: Int = 0) {
        let parts = entry.key.dropFirst(begin).split(
            separator: CallerLabels.separator, maxSplits: 1, omittingEmptySubsequences: false)
        issuer = parts.count == 2 ? String(decoding: parts[0], as: UTF8.self) : nil
        name = String(decoding: parts[parts.count - 1], as: UTF8.self)
        isCut = entry.key.count == HeavyHitters.longestKey
        (count, error) = (entry.count, entry.error)
    }
}
