import ConfigurationFile
import Foundation
import ProxySettings
import Supervision
import Synchronization

/// The worker's end of the pipes to its supervisor.
final class WorkerPipes: Sendable {
    enum Word {
        case accept
        /// The predecessor has not said that it stopped.
        case acceptBesideSilent
    }

    private let ready: FileHandle
    private let life: FileHandle
    private let takesLimits: Bool
    private let stated = Mutex<WorkerLimits?>(nil)
    /// The supervisor's messages; they end with it.
    let words: AsyncStream<Word>

    init(role: WorkerRole) {
        // A supervisor that is stopped must not hold up a reload.
        _ = fcntl(role.ready, F_SETFL, O_NONBLOCK)
        ready = FileHandle(fileDescriptor: role.ready, closeOnDealloc: true)
        life = FileHandle(fileDescriptor: role.life, closeOnDealloc: true)
        takesLimits = role.takesLimits
        let (words, speaker) = AsyncStream.makeStream(of: Word.self)
        self.words = words
        life.readabilityHandler = { handle in
            let bytes = handle.availableData
            guard bytes.isEmpty else {
                return _ = speaker.yield(bytes.contains(WorkerRole.releasedBesideSilent) ? .acceptBesideSilent : .accept)
            }
            handle.readabilityHandler = nil
            speaker.finish()
        }
    }

    func say(_ word: WorkerWord) {
        try? ready.write(contentsOf: Data(word.bytes))
    }

    /// Says how long this worker may take, where that is news.
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
    /// How long a worker with this file may take.
    var workerLimits: WorkerLimits {
        // Before it accepts, it waits for the first addresses of targets that are names, for `connect` at most.
        WorkerLimits(start: timeouts.start + timeouts.connect, end: timeouts.drainDelay + timeouts.drain)
    }
}
