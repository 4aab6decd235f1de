import ConfigurationFile
import Dispatch
import Files
import Glibc
import ProxySettings
import Supervision
import Synchronization
import SystemPackage

/// The worker's ends of the pipes to its supervisor.
final class WorkerPipes: Sendable {
    enum Word {
        case accept
        /// Accept connections, although the predecessor has not reported that it stopped.
        case acceptBesideSilent
    }

    private let ready: OpenFile
    private let takesLimits: Bool
    private let stated = Mutex<WorkerLimits?>(nil)
    /// Messages of the supervisor. The sequence ends when the supervisor is gone.
    let words: AsyncStream<Word>

    init(role: WorkerRole) {
        // A stopped supervisor must not block a reload.
        _ = fcntl(role.ready, F_SETFL, O_NONBLOCK)
        ready = OpenFile(FileDescriptor(rawValue: role.ready))
        let pipe = OpenFile(FileDescriptor(rawValue: role.life))
        let life = DispatchSource.makeReadSource(
            fileDescriptor: role.life, queue: DispatchQueue(label: "bearward.supervisor"))
        takesLimits = role.takesLimits
        let (words, speaker) = AsyncStream.makeStream(of: Word.self)
        self.words = words
        // The source lives until it is cancelled at the end of the pipe.
        life.setEventHandler { [life] in
            let bytes = (try? pipe.read(upTo: 64)) ?? []
            guard bytes.isEmpty else {
                return _ = speaker.yield(
                    bytes.contains(WorkerRole.releasedBesideSilent) ? .acceptBesideSilent : .accept)
            }
            life.cancel()
            speaker.finish()
        }
        life.activate()
    }

    func say(_ word: WorkerWord) {
        try? ready.write(word.bytes)
    }

    /// Reports the worker's time limits to the supervisor, if they have changed.
    func state(_ limits: WorkerLimits) {
        guard takesLimits else { return }
        let isNew = stated.withLock { stated in
            defer { stated = limits }
            return stated != limits
        }
        if isNew { say(.limits(limits)) }
    }
}

extension Configuration {
    /// Time limits of a worker with this file.
    var workerLimits: WorkerLimits {
        // Before it accepts connections, it waits for the first addresses of upstreams' names, at most for `connect`.
        WorkerLimits(start: timeouts.start + timeouts.connect, end: timeouts.drainDelay + timeouts.drain)
    }
}
