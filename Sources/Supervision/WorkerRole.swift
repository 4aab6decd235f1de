/// How a worker knows that it is one, and talks to its supervisor: two pipes, whose descriptors the environment names.
public struct WorkerRole: Sendable {
    static let readyVariable = "BEARWARD_READY_FD"
    static let lifeVariable = "BEARWARD_LIFE_FD"
    /// How often workers were replaced before this one, for metrics.
    static let restartsVariable = "BEARWARD_RESTARTS"
    /// Whether another worker is still there, who has the admin address until this one is ready.
    static let successionVariable = "BEARWARD_SUCCESSION"

    /// What a worker says, one byte each.
    public enum Word: UInt8, Sendable {
        /// It serves, or would if its predecessor did not.
        case ready = 1
        /// It was told to leave, and takes no more connections.
        case stoppedAccepting = 2
    }

    /// Where messages are written.
    public let ready: CInt
    /// Has a byte once the predecessor has stopped accepting, and ends when the supervisor does.
    public let life: CInt
    public let restarts: Int
    public let hasPredecessor: Bool

    /// nil: this process has no supervisor.
    public init?(environment: [String: String]) {
        guard let ready = environment[Self.readyVariable].flatMap({ CInt($0) }), ready > 2,
            let life = environment[Self.lifeVariable].flatMap({ CInt($0) }), life > 2
        else { return nil }
        self.ready = ready
        self.life = life
        restarts = environment[Self.restartsVariable].flatMap { Int($0) } ?? 0
        hasPredecessor = environment[Self.successionVariable] != nil
    }
}
