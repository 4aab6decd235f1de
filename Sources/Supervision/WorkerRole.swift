/// Role of a process that a supervisor started as its worker. The environment names the descriptors of two pipes,
/// through which they exchange messages.
public struct WorkerRole: Sendable {
    static let readyVariable = "BEARWARD_READY_FD"
    static let lifeVariable = "BEARWARD_LIFE_FD"
    /// Variable with the number of workers replaced before this one, for metrics.
    static let restartsVariable = "BEARWARD_RESTARTS"
    /// Variable that is set if another worker is still running. That worker has the admin address until this one is
    /// ready.
    static let successionVariable = "BEARWARD_SUCCESSION"

    /// Variable that is set if the supervisor accepts more messages than `ready` and `stoppedAccepting`.
    static let wordsVariable = "BEARWARD_WORDS"
    static let words = "limits"

    /// Descriptor for messages to the supervisor.
    public let ready: CInt
    /// Descriptor that has a byte once the worker may accept connections: ``released`` or ``releasedBesideSilent``.
    /// Reaches its end when the supervisor exits.
    public let life: CInt
    public let restarts: Int
    public let hasPredecessor: Bool
    /// True if the supervisor accepts ``WorkerLimits``.
    public let takesLimits: Bool

    /// Byte on `life` if the predecessor has stopped accepting.
    static let released: UInt8 = 1
    /// Byte on `life` if the predecessor has not reported that in time. It may be stuck, and may continue old work
    /// unexpectedly.
    public static let releasedBesideSilent: UInt8 = 2

    /// Nil if this process has no supervisor.
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
