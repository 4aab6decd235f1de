/// How many requests may be tried again: a part of those of the last ten seconds, so that retries never double the load of a fleet
/// that fails.
struct RetryBudget: Sendable {
    /// In ten seconds, however few requests there are.
    static let least = 30
    private static let span: Int64 = 1_000_000_000
    private static let spans = 10

    private let percent: Int
    /// For each second of the last ten.
    private var requests: [Int]
    private var retries: [Int]
    private var second: Int64

    init(percent: Int, at now: Int64) {
        self.percent = percent
        requests = [Int](repeating: 0, count: Self.spans)
        retries = requests
        second = now / Self.span
    }

    mutating func noteRequest(at now: Int64) {
        let index = advance(to: now)
        requests[index] &+= 1
    }

    /// Whether one more is within the budget; if so, it counts.
    mutating func take(at now: Int64) -> Bool {
        let index = advance(to: now)
        let made = retries.reduce(0, &+)
        guard percent > 0, made < max(Self.least, requests.reduce(0, &+) &* percent / 100) else { return false }
        retries[index] &+= 1
        return true
    }

    /// Forgets what is older; a clock that went back changes nothing.
    private mutating func advance(to now: Int64) -> Int {
        let present = max(second, now / Self.span)
        for passed in 0..<min(Int64(Self.spans), present &- second) {
            let index = Self.index(of: present &- passed)
            (requests[index], retries[index]) = (0, 0)
        }
        second = present
        return Self.index(of: present)
    }

    private static func index(of second: Int64) -> Int { Int(truncatingIfNeeded: second.magnitude % UInt64(spans)) }
}
