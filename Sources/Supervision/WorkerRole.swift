/// How a worker knows that it is one, and talks to its supervisor: two pipes, whose descriptors the environment names.
public struct WorkerRole: Sendable {
    static let readyVariable = "BEARWARD_READY_FD"
    static let lifeVariable = "BEARWARD_LIFE_FD"
    /// How often workers were replaced before this one, for metrics.
    static let restartsVariable = "BEARWARD_RESTARTS"
    /// Whether another worker is still there, who has the admin address until this one is ready.
    static let successionVariable = "BEARWARD_SUCCESSION"

    /// Whether the supervisor takes more words than `ready` and `stoppedAccepting`.
    static let wordsVariable = "BEARWARD_WORDS"
    static let words = "limits"

    /// Where messages are written.
    public let ready: CInt
    /// Has a byte once the worker may accept: ``released``, or ``releasedBesideSilent``. Ends when the supervisor does.
    public let life: CInt
    public let restarts: Int
    public let hasPredecessor: Bool
    /// Whether the supervisor is told of ``WorkerLimits``.
    public let takesLimits: Bool

    /// The predecessor has stopped accepting.
    static let released: UInt8 = 1
    /// The predecessor has not said so in time. It may be stuck, and go on with what it had begun when nobody expects
    /// it.
    public static let releasedBesideSilent: UInt8 = 2

    /// nil: this process has no supervisor.
    public init?(environment: [String: String]) {
        guard let ready = environment[Self.readyVariable].flatMap({ CInt($0) }), ready > 2,
            let life = environment[Self.lifeVariable].flatMap({ CInt($0) }), life > 2
        else { return nil }
        self.ready = ready
        self.life = life
        restarts = environment[Self.restartsVariable].flatMap { Int($0) } ?? 0
        hasPredecessor = environment[Self.successionVariable] != nil
        takesLimits = environment[Self.wordsVariable] == Self.words
    }
}
