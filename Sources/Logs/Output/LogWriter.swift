import Dispatch
import Synchronization

/// Takes whole lines of a log from any thread and writes them on one of its own, so that no other thread waits for a
/// reader or a disk.
///
/// What waits is bounded. Lines that are too many, or that cannot be written, are dropped and counted.
public final class LogWriter: Sendable {
    /// When the thread that writes is there.
    public enum ThreadLife: Sendable {
        /// From the beginning until ``finish()``: a later start could fail where threads or memory are short.
        case permanent
        /// While there is something to write.
        case whileNeeded
    }

    /// What the operator should know. Told from any thread, and never under a lock.
    public enum Notice: Sendable, Hashable {
        case linesAreDropped(cause: String)
        case linesAreWrittenAgain(dropped: UInt64)
    }

    private struct Queue {
        var batches: [[UInt8]] = []
        /// Of the batches, and of those that the thread has taken and not written yet.
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
    ///   - file: nil throws lines away uncounted.
    ///   - longestQueue: bytes that may wait.
    public init(to file: LogFile?, longestQueue: Int, thread: ThreadLife, notify: @escaping @Sendable (Notice) -> Void)
    {
        self.file = Mutex(file)
        self.longestQueue = longestQueue
        threadLife = thread
        self.notify = notify
        if thread == .permanent { _ = WriterThread.start { self.writeUntilFinished() } }
    }

    /// Lines that were never written.
    public var droppedLines: UInt64 { queue.withLock { $0.dropped.total } }

    /// Whether nothing waits to be written.
    public var isIdle: Bool { queue.withLock { !$0.isWriting && $0.batches.isEmpty } }

    /// Writes to another file from now on. Lines that wait go there too, even if the old one has no reader.
    public func redirect(to file: LogFile?) {
        self.file.withLock { $0 = file }
    }

    /// Takes whole lines; never waits.
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

    /// Ends the thread once it has written what waits, which may be never; ask ``isIdle``. Lines that come later are
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
            // Without a thread the lines wait; the next one tries again.
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
            // Without a reader this returns soon, to see whether the lines go elsewhere now.
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

    /// Gives up the line that is partly written; the index of its first byte.
    private func restartLine(of batch: [UInt8], at position: Int, in file: LogFile) -> Int {
        let start = batch[..<position].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        file.endLine(after: position - start)
        return start
    }

    private func settle(_ batch: [UInt8], lost: UInt64, cause: String) {
        let notice: Notice? = queue.withLock { queue in
            queue.byteCount -= batch.count
            if lost > 0 { return queue.dropped.drop(lost, at: .now) ? .linesAreDropped(cause: cause) : nil }
            // A queue that is still long may be about to lose more.
            guard queue.byteCount <= longestQueue / 2 else { return nil }
            return queue.dropped.recover(at: .now).map { .linesAreWrittenAgain(dropped: $0) }
        }
        if let notice { notify(notice) }
    }
}
