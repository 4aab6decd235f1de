#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Keeps one worker at work: holds the listening sockets, starts it, passes signals on, and starts another when it ends.
///
/// Its one thread waits only for signals and time, and handles no request.
public struct Supervisor: ~Copyable {
    private let program: String
    private let arguments: [String]
    private let sockets: [CInt]
    private let environment: [String: String]
    private let report: (SupervisorEvent) -> Void
    private let serviceManager: ServiceManager?
    private var signals: SignalQueue
    private var state = SupervisorState(terminateSignal: SIGTERM)
    private var children: [pid_t: ChildProcess] = [:]
    private var startAt: Duration?
    private let began = ContinuousClock.now

    /// What a worker is told when another replaces it.
    public static let retireSignal = SIGQUIT
    /// How often workers are listened to while one is waited for.
    private static let listeningInterval: Duration = .milliseconds(10)
    private static let longestSleep: Duration = .seconds(3600)

    /// Blocks the signals that it waits for; call it before anything could start a thread.
    ///
    /// - Parameters:
    ///   - program: the path of the worker's program, looked up at each start, so that an upgrade finds a new one.
    ///   - sockets: listening descriptors, which are held as long as the process lives.
    ///   - report: told what the operator should know; must not wait for a reader.
    public init(
        program: String, arguments: [String], sockets: [CInt], environment: [String: String], report: @escaping (SupervisorEvent) -> Void
    ) {
        self.program = program
        self.arguments = arguments
        self.sockets = sockets
        self.environment = environment
        self.report = report
        serviceManager = ServiceManager(environment: environment)
        // A worker may have gone when it is told something.
        signal(SIGPIPE, SIG_IGN)
        signals = SignalQueue([SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD])
    }

    /// Runs until it is told to end or gives up; returns the exit status.
    public mutating func run() -> Int32 {
        startAt = .zero
        while true {
            if let startAt, startAt <= now, let status = start() { return status }
            if let signal = signals.next(within: sleep), let status = perform(handle(signal)) { return status }
            if let status = listen() { return status }
        }
    }

    private var now: Duration { ContinuousClock.now - began }

    private var sleep: Duration {
        if state.isWaiting { return Self.listeningInterval }
        return startAt.map { max($0 - now, .zero) } ?? Self.longestSleep
    }

    private mutating func start() -> Int32? {
        startAt = nil
        guard state.wantsWorker else { return nil }
        var variables = environment
        // The worker has nothing to say to the service manager.
        variables["NOTIFY_SOCKET"] = nil
        // A worker that crashes is to be gone at once; its runtime would first spend seconds on a stack trace.
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
        guard state.isWaiting else { return nil }
        for child in Array(children.values) {
            switch child.word() {
            case .ready: if let status = perform(state.becameReady(child.pid)) { return status }
            case .stoppedAccepting: if let status = perform(state.stoppedAccepting(child.pid)) { return status }
            case nil: continue
            }
        }
        return nil
    }

    /// Does what follows; returns the exit status if that is the end.
    private mutating func perform(_ actions: [SupervisorState.Action]) -> Int32? {
        for action in actions {
            switch action {
            case .start(let time): startAt = time
            case .send(let signal, let pid): _ = kill(pid, signal)
            case .retire(let pid): _ = kill(pid, Self.retireSignal)
            case .release(let pid): children[pid]?.release()
            case .tellReady: serviceManager?.tell("READY=1")
            case .tellStopping: serviceManager?.tell("STOPPING=1")
            case .report(let event): report(event)
            case .exit(let status): return status
            }
        }
        return nil
    }
}
