import JOSE
import KeySets
import TestSupport

/// Source of key sets: its responses at any time, and the time of each fetch.
struct SimulatedIssuer {
    enum State: Hashable {
        case up
        /// Connections are refused.
        case down
        /// The issuer never answers.
        case silent
    }

    enum Answer {
        case keys(KeySet)
        case failed(retryAfter: Duration?)
        case silence
    }

    var keys: KeySet
    var state = State.up
    /// Maximum number of fetches per second; further ones get 429 with `Retry-After`. Nil if there is no limit.
    var most: Int?
    var retryAfter = Duration.seconds(30)
    /// Time of each fetch.
    private(set) var fetches: [Int64] = []
    private(set) var answered = 0
    private var second: Int64 = -1
    private var countOfSecond = 0

    init(_ keys: KeySet) {
        self.keys = keys
    }

    mutating func answer(at now: Int64) -> Answer {
        fetches.append(now)
        switch state {
        case .silent: return .silence
        case .down: return .failed(retryAfter: nil)
        case .up: break
        }
        if now / VirtualTime.second != second { (second, countOfSecond) = (now / VirtualTime.second, 0) }
        countOfSecond += 1
        if let most, countOfSecond > most { return .failed(retryAfter: retryAfter) }
        answered += 1
        return .keys(keys)
    }

    /// Number of fetches in a time span.
    func count(from begin: Int64, to end: Int64) -> Int { fetches.count { $0 >= begin && $0 < end } }

    /// Maximum number of fetches within any one second.
    func peak(from begin: Int64, to end: Int64) -> Int {
        let times = fetches.filter { $0 >= begin && $0 < end }.sorted()
        var (first, most) = (0, 0)
        for (index, time) in times.enumerated() {
            while time - times[first] >= VirtualTime.second { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }
}
