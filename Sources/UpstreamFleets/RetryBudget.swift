/// Bound on retries: a percentage of the requests of the last ten seconds. Retries never double the load of a failing
/// fleet.
struct RetryBudget: Sendable {
    /// Number of retries allowed in ten seconds, however few requests there are.
    static let least = 30
    private static let span: Int64 = 1_000_000_000
    private static let spans = 10

    private let percent: Int
    /// Counts for each of the last ten seconds.
    private var requests: [Int]
    private var retries: [Int]
    private var second: Int64
    /// Time at which the next second begins, and index at which the current one is counted.
    private var end: Int64
    private var present: Int

    init(percent: Int, at now: Int64) {
        self.percent = percent
        requests = [Int](repeating: 0, count: Self.spans)
        retries = requests
        second = now / Self.span
        end = (second &+ 1) &* Self.span
        present = Self.index(of: second)
    }

    mutating func noteRequest(at now: Int64) {
        if now >= end { advance(to: now) }
        requests[present] &+= 1
    }

    /// Takes one retry from the budget. Returns false if none is left.
    mutating func take(at now: Int64) -> Bool {
        advance(to: now)
        let made = retries.reduce(0, &+)
        guard percent > 0, made < max(Self.least, requests.reduce(0, &+) &* percent / 100) else { return false }
        retries[present] &+= 1
        return true
    }

    /// Clears the counts of older seconds. A clock that went back changes nothing.
    private mutating func advance(to now: Int64) {
        let latest = max(second, now / Self.span)
        for passed in 0..<min(Int64(Self.spans), latest &- second) {
            let index = Self.index(of: latest &- passed)
            (requests[index], retries[index]) = (0, 0)
        }
        second = latest
        end = (latest &+ 1) &* Self.span
        present = Self.index(of: latest)
    }

    private static func index(of second: Int64) -> Int { Int(truncatingIfNeeded: second.magnitude % UInt64(spans)) }
}
