import Files
import SystemPackage

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Child process, started with its sockets and pipes at fixed descriptor numbers.
struct ChildProcess {
    let pid: pid_t
    /// Pipe from which the child's messages are read. Reaches its end when the child exits.
    let ready: CInt
    /// Pipe for messages to the child. The child sees its end when this process exits.
    let life: CInt
    private var reader = WorkerWord.Reader()

    private init(pid: pid_t, ready: CInt, life: CInt) {
        self.pid = pid
        self.ready = ready
        self.life = life
    }

    /// Signals that a worker handles once it can. They are blocked from its first instruction until it notes them
    /// (``EarlySignals``). Otherwise a signal during its start would kill it.
    static let heldSignals = [SIGHUP, SIGUSR1, SIGTERM, SIGINT, SIGQUIT]

    /// Starts a program with the sockets at descriptors 3, 4 and so on (`sd_listen_fds(3)`), followed by the two pipes.
    ///
    /// - Parameters:
    ///   - sockets: descriptors that stay open in this process too, for the next child.
    ///   - environment: the child's variables, besides `LISTEN_FDS` and the descriptor numbers of the pipes.
    static func start(
        _ program: String, _ arguments: [String], sockets: [CInt], environment: [String: String]
    ) throws(SupervisionFailure) -> ChildProcess {
        let ready = try Pipe.make()
        defer { close(ready.write) }
        do throws(SupervisionFailure) {
            let life = try Pipe.make()
            defer { close(life.read) }
            do throws(SupervisionFailure) {
                let pid = try start(
                    program, arguments, sockets: sockets, environment: environment, ready: ready.write, life: life.read)
                return ChildProcess(pid: pid, ready: ready.read, life: life.write)
            } catch {
                close(life.write)
                throw error
            }
        } catch {
            close(ready.read)
            throw error
        }
    }

    private static func start(
        _ program: String, _ arguments: [String], sockets: [CInt], environment: [String: String], ready: CInt,
        life: CInt
    ) throws(SupervisionFailure) -> pid_t {
        let given = sockets + [ready, life]
        // Copied above all target descriptors, so that none is overwritten before it was copied.
        var moved: [CInt] = []
        defer { moved.forEach { close($0) } }
        for descriptor in given {
            let copy = fcntl(descriptor, F_DUPFD, 3 + CInt(given.count))
            guard copy >= 0 else { throw .system("fcntl", errno) }
            _ = fcntl(copy, F_SETFD, FD_CLOEXEC)
            moved.append(copy)
        }
        var variables = environment
        variables["LISTEN_PID"] = nil
        variables["LISTEN_FDNAMES"] = nil
        variables["LISTEN_FDS"] = String(sockets.count)
        variables[WorkerRole.readyVariable] = String(3 + sockets.count)
        variables[WorkerRole.lifeVariable] = String(4 + sockets.count)
        variables[WorkerRole.wordsVariable] = WorkerRole.words
        return try spawn(program, arguments, variables, descriptors: moved)
    }

    /// Reads the child's messages since the last call. Does not wait.
    mutating func words() -> [WorkerWord] {
        var words: [WorkerWord] = []
        var bytes = [UInt8](repeating: 0, count: 512)
        while true {
            let count = unsafe read(ready, &bytes, bytes.count)
            guard count > 0 else { return words }
            words += reader.words(in: bytes.prefix(count))
        }
    }

    /// Permits the child to accept connections.
    func release(isPredecessorSilent: Bool) {
        var byte = isPredecessorSilent ? WorkerRole.releasedBesideSilent : WorkerRole.released
        _ = unsafe write(life, &byte, 1)
    }

    func closePipes() {
        close(ready)
        close(life)
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String: String], descriptors: [CInt]
    ) throws(SupervisionFailure) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (place, descriptor) in descriptors.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, 3 + CInt(place))
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var held = sigset_t()
        unsafe sigemptyset(&held)
        for signal in heldSignals { unsafe sigaddset(&held, signal) }
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &held)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var pid: pid_t = 0
        let argv = unsafe cStrings([program] + arguments)
        let variables = unsafe cStrings(environment.map { "\($0.key)=\($0.value)" })
        defer { unsafe (argv + variables).forEach { unsafe free($0) } }
        let status = unsafe posix_spawn(&pid, program, &actions, &attributes, argv, variables)
        guard status == 0 else { throw .notStarted(program, status) }
        return pid
    }

    /// C strings of the texts, ended by a null pointer. The caller must free each one.
    private static func cStrings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        unsafe texts.map { unsafe strdup($0) } + [nil]
    }

    /// Every child that exited since the last call, with its exit status and a description. The status is nil if a
    /// signal killed the child.
    static func ended() -> [(pid: pid_t, status: Int32?, how: String)] {
        var all: [(pid_t, Int32?, String)] = []
        var status: CInt = 0
        while true {
            let pid = unsafe waitpid(-1, &status, WNOHANG)
            guard pid > 0 else { return all }
            let signal = status & 0x7F
            if signal == 0 {
                let code = (status >> 8) & 0xFF
                all.append((pid, code, "exited with status \(code)"))
            } else {
                all.append((pid, nil, "was killed by signal \(signal)"))
            }
        }
    }
}

/// Pipe that children do not inherit. Its reading end does not block.
private struct Pipe {
    let read: CInt
    let write: CInt

    static func make() throws(SupervisionFailure) -> Pipe {
        var ends: (CInt, CInt) = (-1, -1)
        let status = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe pipe(bytes.assumingMemoryBound(to: CInt.self).baseAddress)
        }
        guard status == 0 else { throw .system("pipe", errno) }
        for end in [ends.0, ends.1] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends.0, F_SETFL, O_NONBLOCK)
        return Pipe(read: ends.0, write: ends.1)
    }
}

/// Reason that a worker could not be started.
public enum SupervisionFailure: Error, CustomStringConvertible {
    case notStarted(String, Int32)
    case system(String, Int32)

    public var description: String {
        switch self {
        case .notStarted(let program, let number): "\(program) could not be started: \(Errno(rawValue: number).words)"
        case .system(let call, let number): "the system refused: \(Errno(rawValue: number).words) (\(call))"
        }
    }
}
