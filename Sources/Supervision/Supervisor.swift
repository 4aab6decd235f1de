#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Keeps one worker running: holds the listening sockets, starts the worker, passes signals on, and starts another
/// worker when it exits.
///
/// Its one thread waits only for signals and timers, and handles no requests.
public struct Supervisor: ~Copyable {
    private let program: String
    private let arguments: [String]
    private let sockets: [CInt]
    private let environment: [String: String]
    private let report: (SupervisorEvent) -> Void
    private let serviceManager: ServiceManager?
    private var signals: SignalQueue
    private var state: SupervisorState
    private var children: [pid_t: ChildProcess] = [:]
    private var startAt: Duration?
    private let began = ContinuousClock.now

    /// Signal that tells a worker that another replaces it.
    public static let retireSignal = SIGQUIT
    /// Interval for reading workers' messages while one is expected.
    private static let listeningInterval: Duration = .milliseconds(10)
    private static let longestSleep: Duration = .seconds(3600)

    /// Blocks the signals that it waits for. Call it before anything could start a thread.
    ///
    /// - Parameters:
    ///   - program: path of the worker's program. It is looked up at each start, so that an upgrade finds the new one.
    ///   - sockets: listening descriptors, kept open for the life of the process.
    ///   - limits: limits of a worker until it reports those of its file.
    ///   - report: called with events for the operator; must not wait for a reader.
    public init(
        program: String, arguments: [String], sockets: [CInt], environment: [String: String], limits: WorkerLimits,
        report: @escaping (SupervisorEvent) -> Void
    ) {
        self.program = program
        self.arguments = arguments
        self.sockets = sockets
        self.environment = environment
        self.report = report
        state = SupervisorState(terminateSignal: SIGTERM, limits: limits)
        serviceManager = ServiceManager(environment: environment)
        // A worker may have exited when a message is written to it.
        signal(SIGPIPE, SIG_IGN)
        signals = SignalQueue([SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD])
    }

    /// Blocks signals with instructions (SIGHUP, SIGUSR1, SIGUSR2), which would kill a process that cannot handle them
    /// yet. Signals that stop the process still do. Call it before anything could start a thread.
    public static func holdSignals() {
        SignalQueue.hold([SIGHUP, SIGUSR1, SIGUSR2])
    }

    /// Runs until it is told to stop, or gives up. Returns the exit status.
    public mutating func run() -> Int32 {
        startAt = .zero
        while true {
            if let startAt, startAt <= now, let status = start() { return status }
            let signal = signals.next(within: sleep)
            // Messages of workers come first, because they decide about signals and expired waits.
            if let status = listen() { return status }
            if let signal, let status = perform(handle(signal)) { return status }
            if let status = perform(state.timePassed(at: now)) { return status }
        }
    }

    private var now: Duration { ContinuousClock.now - began }

    private var sleep: Duration {
        if state.isWaiting { return Self.listeningInterval }
        let next = [startAt, state.deadline].compactMap(\.self).min() ?? now + Self.longestSleep
        return min(max(next - now, .zero), Self.longestSleep)
    }

    private mutating func start() -> Int32? {
        startAt = nil
        guard state.wantsWorker else { return nil }
        var variables = environment
        // Only the supervisor notifies the service manager.
        variables["NOTIFY_SOCKET"] = nil
        // A worker that crashes must exit at once. Its runtime would first spend seconds on a stack trace.
        variables["SWIFT_BACKTRACE"] = environment["SWIFT_BACKTRACE"] ?? "enable=no"
        variables[WorkerRole.restartsVariable] = String(state.restarts)
        variables[WorkerRole.successionVariable] = children.isEmpty ? nil : "1"
        do throws(SupervisionFailure) {
            let child = try ChildProcess.start(program, arguments, sockets: sockets, environment: variables)
            children[child.pid] = child
            state.started(child.pid, at: now)
        } catch {
            report(.workerNotStarted(cause: "\(error)"))
            return perform(state.startFailed(at: now))
        }
        return nil
    }

    private mutating func handle(_ signal: CInt) -> [SupervisorState.Action] {
        switch signal {
        case SIGTERM, SIGINT: return state.signalled(.terminate, at: now)
        case SIGHUP, SIGUSR1: return state.signalled(.passOn(signal), at: now)
        case SIGUSR2: return state.signalled(.upgrade, at: now)
        default:
            var actions: [SupervisorState.Action] = []
            for (pid, status, how) in ChildProcess.ended() {
                children.removeValue(forKey: pid)?.closePipes()
                actions += state.ended(pid, status: status, how, at: now)
            }
            return actions
        }
    }

    private mutating func listen() -> Int32? {
        for pid in children.keys.sorted() {
            for word in children[pid]?.words() ?? [] {
                if let status = perform(handle(word, of: pid)) { return status }
            }
        }
        return nil
    }

    private mutating func handle(_ word: WorkerWord, of pid: pid_t) -> [SupervisorState.Action] {
        switch word {
        case .ready: return state.becameReady(pid, at: now)
        case .stoppedAccepting: return state.stoppedAccepting(pid)
        case .limits(let limits):
            state.stated(limits, by: pid)
            return []
        }
    }

    /// Executes actions. Returns the exit status if the supervisor must exit. Nil if it continues.
    private mutating func perform(_ actions: [SupervisorState.Action]) -> Int32? {
        for action in actions {
            switch action {
            case .start(let time): startAt = time
            case .send(let signal, let pid): _ = kill(pid, signal)
            case .retire(let pid): _ = kill(pid, Self.retireSignal)
            case .release(let pid, let isSilent): children[pid]?.release(isPredecessorSilent: isSilent)
            case .kill(let pid): _ = kill(pid, SIGKILL)
            case .tellReady: serviceManager?.tell("READY=1")
            case .tellStopping: serviceManager?.tell("STOPPING=1")
            case .report(let event): report(event)
            case .exit(let status): return status
            }
        }
        return nil
    }
}
