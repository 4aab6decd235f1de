import Foundation
import Glibc
import Synchronization

/// The real command as a child process, with its output.
final class BearwardProcess: Sendable {
    let process: Process
    private let output = Output()
    private let errors = Output()
    private let standardInput = Pipe()

    /// Directory of the built commands, beside the test bundle.
    static let directory = URL(fileURLWithPath: CommandLine.arguments.first ?? ".").deletingLastPathComponent()

    /// Runs one of the package's commands.
    convenience init(
        _ arguments: [String], command: String = "bearward", input: String? = nil, environment: [String: String] = [:],
        unread: [Int32] = []
    ) throws {
        try self.init(
            program: Self.directory.appendingPathComponent(command), arguments, input: input, environment: environment,
            unread: unread)
    }

    /// Runs any program. Without `input` its standard input stays open as long as this value lives.
    ///
    /// - Parameters:
    ///   - environment: variables added to those of this process.
    ///   - unread: output streams of the program whose reading end is closed before it starts.
    init(
        program: URL, _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
        unread: [Int32] = []
    ) throws {
        process = Process()
        process.executableURL = program
        process.arguments = arguments
        if !environment.isEmpty {
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, own in own }
        }
        process.standardOutput = output.pipe
        process.standardError = errors.pipe
        process.standardInput = standardInput
        let streams = [STDOUT_FILENO: output, STDERR_FILENO: errors]
        for stream in unread { try streams[stream]?.close() }
        try Self.run(process)
        for (stream, reader) in streams where !unread.contains(stream) { reader.startReading() }
        guard let input else { return }
        // A program that exits without reading all input reports its own reason.
        try? standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try? standardInput.fileHandleForWriting.close()
    }

    deinit { process.end() }

    /// Starts a process with no signal blocked. Threads of this process block signals, and a child that inherits that
    /// would ignore SIGTERM.
    private static func run(_ process: Process) throws {
        var none = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }

    var standardOutput: String { output.text }
    var standardError: String { errors.text }

    /// Sends a signal. Does nothing after the process has exited, since its ID may belong to another process by then.
    func signal(_ number: Int32) {
        guard process.isRunning else { return }
        kill(process.processIdentifier, number)
    }

    /// Waits until the condition holds, at most for the given time.
    static func wait(atMost limit: Duration = .seconds(20), until condition: () async throws -> Bool) async rethrows
        -> Bool
    {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            if try await condition() { return true }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return try await condition()
    }

    /// The exit status. Nil if the process did not exit in time.
    func exitStatus(within limit: Duration = .seconds(40)) async -> Int32? {
        guard await Self.wait(atMost: limit, until: { !process.isRunning }) else { return nil }
        // The last output may still be in the pipe; half of it would be a wrong result.
        guard await Self.wait(atMost: limit, until: { output.hasEnded && errors.hasEnded }) else { return nil }
        return process.terminationStatus
    }

    /// Output of one stream of the child. It is read by a separate thread, so that a busy queue of this process neither
    /// delays the output nor blocks the child in a write.
    private final class Output: Sendable {
        let pipe = Pipe()
        private let state = Mutex((bytes: Data(), hasEnded: false))

        /// Starts reading; called once the child has the writing end.
        func startReading() {
            // The thread retains the pipe and the state, and exits with the last writer.
            Thread.detachNewThread { [self] in
                var chunk = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = unsafe read(pipe.fileHandleForReading.fileDescriptor, &chunk, chunk.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { break }
                    state.withLock { $0.bytes.append(contentsOf: chunk[..<count]) }
                }
                state.withLock { $0.hasEnded = true }
            }
        }

        /// Closes the reading end; called before the child starts.
        func close() throws {
            try pipe.fileHandleForReading.close()
            state.withLock { $0.hasEnded = true }
        }

        var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }
        var hasEnded: Bool { state.withLock { $0.hasEnded } }
    }
}

extension Process {
    /// Terminates the process and all that it has started, and waits for that.
    ///
    /// - Parameter patience: time for an orderly exit before the process is killed.
    func end(after patience: Duration = .seconds(15)) {
        guard isRunning else { return }
        terminate()
        wait(atMost: patience)
        // The process leads a group, which contains anything it may have left behind.
        kill(-processIdentifier, SIGKILL)
        wait(atMost: .seconds(5))
    }

    private func wait(atMost limit: Duration) {
        let end = ContinuousClock.now + limit
        while isRunning, ContinuousClock.now < end { usleep(5_000) }
    }
}
