import Foundation
import Logging
import NIOCore
import NIOPosix
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#endif

/// Where access log lines go: one JSON object a request, to standard output or a file that is only appended to.
///
/// Event loops hand over whole lines and never wait: one thread writes them. What it cannot write in time is dropped and counted.
public final class AccessLog: Sendable {
    public enum Destination: Sendable, Hashable {
        case none
        case standardOutput
        case file(path: String)
    }

    private let logger: Logger
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let queue = Mutex(Queue())
    private let output: Mutex<Output>
    /// Read for every request, so without the lock.
    private let hasOutput: Atomic<Bool>

    /// Bytes that may wait for the disk.
    static let longestQueue = 8 * 1024 * 1024

    private struct Output {
        var destination: Destination
        var file: FileHandle?
    }

    private struct Queue {
        var batches: [[UInt8]] = []
        var byteCount = 0
        var isWriting = false
        var droppedLines: UInt64 = 0
        var hasWarned = false
    }

    /// - Throws: if the file cannot be opened for appending.
    public init(_ destination: Destination, logger: Logger) throws {
        self.logger = logger
        output = Mutex(Output(destination: destination, file: try Self.open(destination)))
        hasOutput = Atomic(destination != .none)
        thread.start()
    }

    var isOn: Bool { hasOutput.load(ordering: .relaxed) }

    public var destination: Destination { output.withLock { $0.destination } }

    /// Goes on somewhere else. Lines that wait go there too.
    ///
    /// - Throws: if the file cannot be opened for appending; then nothing has changed.
    public func redirect(to destination: Destination) throws {
        guard destination != self.destination else { return }
        let file = try Self.open(destination)
        output.withLock { $0 = Output(destination: destination, file: file) }
        hasOutput.store(destination != .none, ordering: .relaxed)
    }

    /// Lines that were never written, because the queue was full or writing failed.
    public var droppedLines: UInt64 { queue.withLock { $0.droppedLines } }

    /// Opens the file again, after something has moved it away; lines that wait go into the new one.
    public func reopen() {
        let destination = destination
        guard case .file = destination else { return }
        do {
            let file = try Self.open(destination)
            output.withLock { $0.file = file }
        } catch {
            logger.error("The access log cannot be opened again", metadata: ["error": "\(error)"])
        }
    }

    /// Writes what waits and ends the thread.
    public func close() async {
        try? await thread.runIfActive { self.writeQueue() }
        try? await thread.shutdownGracefully()
    }

    /// Takes whole lines.
    func write(_ lines: [UInt8]) {
        let isFirst = queue.withLock { queue in
            guard queue.byteCount + lines.count <= Self.longestQueue else {
                drop(lines, &queue, because: "more than \(Self.longestQueue) bytes wait to be written")
                return false
            }
            queue.batches.append(lines)
            queue.byteCount += lines.count
            defer { queue.isWriting = true }
            return !queue.isWriting
        }
        if isFirst { thread.submit { state in if state == .active { self.writeQueue() } } }
    }

    private func writeQueue() {
        while let batch = nextBatch() {
            do {
                try output.withLock { try $0.file?.write(contentsOf: batch) }
            } catch {
                queue.withLock { drop(batch, &$0, because: "\(error)") }
            }
        }
    }

    private func nextBatch() -> [UInt8]? {
        queue.withLock { queue in
            guard !queue.batches.isEmpty else {
                queue.isWriting = false
                return nil
            }
            let batches = queue.batches
            queue.batches = []
            queue.byteCount = 0
            return batches.count == 1 ? batches[0] : Array(batches.joined())
        }
    }

    private func drop(_ lines: [UInt8], _ queue: inout Queue, because cause: String) {
        queue.droppedLines += UInt64(lines.count { $0 == UInt8(ascii: "\n") })
        guard !queue.hasWarned else { return }
        queue.hasWarned = true
        logger.warning("Lines of the access log are dropped and counted", metadata: ["cause": "\(cause)"])
    }

    private static func open(_ destination: Destination) throws -> FileHandle? {
        switch destination {
        case .none: return nil
        case .standardOutput: return FileHandle.standardOutput
        case .file(let path):
            let flags = NIOFileHandle.Flags.posix(flags: O_APPEND | O_CREAT | O_CLOEXEC, mode: 0o640)
            let file = try NIOFileHandle(_deprecatedPath: path, mode: .write, flags: flags)
            return FileHandle(fileDescriptor: try file.takeDescriptorOwnership(), closeOnDealloc: true)
        }
    }
}
