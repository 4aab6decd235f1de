/// When a worker that ended is started again, and when that is given up.
///
/// A worker that has worked for a while is replaced at once. After exits in quick succession the pauses grow, so that a
/// crash loop does not load the machine. Once a worker has served, restarts never stop: the cause may pass, and a
/// client that can crash it for a minute must not end the gateway for good. Only where none has ever served do restarts
/// stop after a minute, because then an operator has to look.
public struct RestartPolicy: Sendable {
    public enum Verdict: Sendable, Hashable {
        case restart(after: Duration)
        case giveUp
    }

    /// A worker that ran for so long did not fail at its start.
    static let soundLifetime: Duration = .seconds(10)
    /// So many exits in a row cause no pause.
    static let freeRestarts = 4
    static let firstPause: Duration = .milliseconds(250)
    static let longestPause: Duration = .seconds(10)
    private static let mostDoublings = 10
    /// Where no worker has ever served, restarts stop when the first exit of the row is so long ago.
    static let patience: Duration = .seconds(60)

    /// Exits in the present row, and when its first was.
    private var endsInRow = 0
    private var rowBegan: Duration = .zero
    private var hasServed = false

    public init() {}

    /// A worker serves.
    public mutating func workerServes() {
        hasServed = true
    }

    /// A worker ended that was not told to.
    ///
    /// - Parameters:
    ///   - lifetime: how long it had run.
    ///   - now: any clock that only goes forward.
    public mutating func workerEnded(after lifetime: Duration, at now: Duration) -> Verdict {
        if endsInRow == 0 || lifetime >= Self.soundLifetime {
            endsInRow = 0
            rowBegan = now
        }
        // A row may last for months, and its pauses do not grow any more.
        endsInRow = min(endsInRow, Self.freeRestarts + Self.mostDoublings) + 1
        guard hasServed || now - rowBegan < Self.patience else { return .giveUp }
        guard endsInRow > Self.freeRestarts else { return .restart(after: .zero) }
        let doublings = min(endsInRow - Self.freeRestarts - 1, Self.mostDoublings)
        return .restart(after: min(Self.firstPause * (1 << doublings), Self.longestPause))
    }
}
