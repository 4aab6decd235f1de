import Dispatch
import Synchronization

/// Takes whole log lines from any thread and writes them on its own thread, so that no other thread waits for a reader
/// or a disk.
///
/// The waiting lines are bounded. Lines beyond the bound, or that cannot be written, are dropped and counted.
public final class LogWriter: Sendable {
    /// Choice of when the writing thread exists.
    public enum ThreadLife: Sendable {
        /// From the beginning until ``finish()``. A later start could fail if threads or memory are short.
        case permanent
        /// Only while there is something to write.
        case whileNeeded
    }

    /// Message for the operator. Sent from any thread, and never while a lock is held.
    public enum Notice: Sendable, Hashable {
        case linesAreDropped(cause: String)
        case linesAreWrittenAgain(dropped: UInt64)
    }

    private struct Queue {
        var batches: [[UInt8]] = []
        /// Bytes in the batches, and in those that the thread has taken and not written yet.
        var byteCount = 0
        var isWriting = false
        var hasFinished = false
        var dropped = DroppedLines()
    }

    private let queue = Mutex(Queue())
    private let file: Mutex<LogFile?>
    private let longestQueue: Int
    private let threadLife: ThreadLife
    private let notify: @Sendable (Notice) -> Void
    private let work = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - file: the output. Nil discards lines without counting them.
    ///   - longestQueue: largest number of bytes that may wait.
    public init(to file: LogFile?, longestQueue: Int, thread: ThreadLife, notify: @escaping @Sendable (Notice) -> Void)
    {
        self.file = Mutex(file)
        self.longestQueue = longestQueue
        threadLife = thread
        self.notify = notify
        if thread == .permanent { _ = WriterThread.start { self.writeUntilFinished() } }
    }

    /// Number of lines that were dropped.
    public var droppedLines: UInt64 { queue.withLock { $0.dropped.total } }

    /// True if nothing waits to be written.
    public var isIdle: Bool { queue.withLock { !$0.isWriting && $0.batches.isEmpty } }

    /// Switches to another file. Waiting lines go there too, even if nobody reads the old one.
    public func redirect(to file: LogFile?) {
        self.file.withLock { $0 = file }
    }

    /// Queues whole lines; never waits.
    public func write(_ lines: [UInt8]) {
        let (isFirst, isLoss) = queue.withLock { queue in
            guard !queue.hasFinished, queue.byteCount + lines.count <= longestQueue else {
                return (false, queue.dropped.drop(Self.lineCount(of: lines[...]), at: .now))
            }
            queue.batches.append(lines)
            queue.byteCount += lines.count
            defer { queue.isWriting = true }
            return (!queue.isWriting, false)
        }
        if isLoss { notify(.linesAreDropped(cause: "more than \(longestQueue) bytes wait to be written")) }
        if isFirst { wake() }
    }

    /// Ends the thread once it has written the waiting lines, which may never happen; see ``isIdle``. Later lines are
    /// dropped.
    public func finish() {
        queue.withLock { $0.hasFinished = true }
        if threadLife == .permanent { work.signal() }
    }

    private static func lineCount(of bytes: ArraySlice<UInt8>) -> UInt64 {
        UInt64(bytes.count { $0 == UInt8(ascii: "\n") })
    }

    // MARK: The thread

    private func wake() {
        switch threadLife {
        case .permanent: work.signal()
        case .whileNeeded:
            // Without a thread the lines wait, and the next write tries again.
            if !WriterThread.start({ self.writeQueue() }) { queue.withLock { $0.isWriting = false } }
        }
    }

    private func writeUntilFinished() {
        repeat {
            work.wait()
            writeQueue()
        } while !queue.withLock { $0.hasFinished && $0.batches.isEmpty }
    }

    private func writeQueue() {
        while let batches = takeBatches() {
            for batch in batches { write(batch: batch) }
        }
    }

    private func takeBatches() -> [[UInt8]]? {
        queue.withLock { queue in
            guard !queue.batches.isEmpty else {
                queue.isWriting = false
                return nil
            }
            defer { queue.batches = [] }
            return queue.batches
        }
    }

    private func write(batch: [UInt8]) {
        var position = 0
        var last: LogFile?
        while position < batch.count, let file = file.withLock({ $0 }) {
            if let last, last !== file { position = restartLine(of: batch, at: position, in: last) }
            last = file
            // If the reader does not read, this returns soon. The file may then have been replaced.
            switch file.write(batch[position...]) {
            case .wrote(let count): position += count
            case .wouldBlock: continue
            case .failed(let number):
                _ = restartLine(of: batch, at: position, in: file)
                return settle(
                    batch, lost: Self.lineCount(of: batch[position...]), cause: LogFileFailure.words(for: number))
            }
        }
        settle(batch, lost: 0, cause: "")
    }

    /// Abandons a line that was partly written. Returns the index of its first byte.
    private func restartLine(of batch: [UInt8], at position: Int, in file: LogFile) -> Int {
        let start = batch[..<position].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        file.endLine(after: position - start)
        return start
    }

    private func settle(_ batch: [UInt8], lost: UInt64, cause: String) {
        let notice: Notice? = queue.withLock { queue in
            queue.byteCount -= batch.count
            if lost > 0 { return queue.dropped.drop(lost, at: .now) ? .linesAreDropped(cause: cause) : nil }
            // A queue that is still long may be about to lose more lines.
            guard queue.byteCount <= longestQueue / 2 else { return nil }
            return queue.dropped.recover(at: .now).map { .linesAreWrittenAgain(dropped: $0) }
        }
        if let notice { notify(notice) }
    }
}
