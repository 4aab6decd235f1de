/// Decides when a worker that exited is restarted, and when restarts stop.
///
/// A worker that served for a while is replaced at once. After quick successive exits the pauses grow, so that a crash
/// loop does not load the machine. Once a worker has served, restarts never stop. The cause may pass, and a client that
/// can crash workers for a minute must not stop the gateway for good. If no worker has ever served, restarts stop after
/// a minute, because an operator has to look.
public struct RestartPolicy: Sendable {
    public enum Verdict: Sendable, Hashable {
        case restart(after: Duration)
        case giveUp
    }

    /// Lifetime from which a worker's exit begins a new row. It did not fail at its start.
    static let soundLifetime: Duration = .seconds(10)
    /// Number of exits in a row that cause no pause.
    static let freeRestarts = 4
    static let firstPause: Duration = .milliseconds(250)
    static let longestPause: Duration = .seconds(10)
    private static let mostDoublings = 10
    /// Length of a row of exits after which restarts stop, if no worker has ever served.
    static let patience: Duration = .seconds(60)

    /// Number of exits in the current row, and the time of the first.
    private var endsInRow = 0
    private var rowBegan: Duration = .zero
    private var hasServed = false

    public init() {}

    /// Records that a worker serves.
    public mutating func workerServes() {
        hasServed = true
    }

    /// Decides what follows when a worker exited without being told to.
    ///
    /// - Parameters:
    ///   - lifetime: how long the worker served.
    ///   - now: time of any clock that never goes backwards.
    public mutating func workerEnded(after lifetime: Duration, at now: Duration) -> Verdict {
        if endsInRow == 0 || lifetime >= Self.soundLifetime {
            endsInRow = 0
            rowBegan = now
        }
        // Bounded: a row may last for months, but its pauses stop growing.
        endsInRow = min(endsInRow, Self.freeRestarts + Self.mostDoublings) + 1
        guard hasServed || now - rowBegan < Self.patience else { return .giveUp }
        guard endsInRow > Self.freeRestarts else { return .restart(after: .zero) }
        let doublings = min(endsInRow - Self.freeRestarts - 1, Self.mostDoublings)
        return .restart(after: min(Self.firstPause * (1 << doublings), Self.longestPause))
    }
}
