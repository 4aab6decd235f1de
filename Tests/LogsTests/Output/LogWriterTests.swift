import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Logs

/// The writer with real files and pipes.
@Suite(.serialized)
struct LogWriterTests {
    private let temporary: TemporaryFolder
    private var directory: URL { temporary.url }

    init() throws { temporary = try TemporaryFolder() }

    private final class Notices: Sendable {
        private let list = Mutex<[LogWriter.Notice]>([])

        var all: [LogWriter.Notice] { list.withLock { $0 } }

        func add(_ notice: LogWriter.Notice) { list.withLock { $0.append(notice) } }
    }

    private static func wait(_ condition: () throws -> Bool) async rethrows -> Bool {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            if try condition() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return try condition()
    }

    /// A named pipe with a reader that reads only on request.
    private struct NamedPipe {
        let path: String
        let reader: CInt

        init(in directory: URL) throws {
            path = directory.appendingPathComponent(UUID().uuidString).path
            try #require(unsafe mkfifo(path, 0o600) == 0)
            reader = unsafe open(path, O_RDONLY | O_NONBLOCK)
            try #require(reader >= 0)
        }

        func read() -> String {
            var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
            while true {
                let count = unsafe Glibc.read(reader, &buffer, buffer.count)
                guard count > 0 else { return String(decoding: text, as: UTF8.self) }
                text += buffer[..<count]
            }
        }
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(arguments: [LogWriter.ThreadLife.permanent, .whileNeeded])
    func `lines are written in order`(_ life: LogWriter.ThreadLife) async throws {
        let path = directory.appendingPathComponent("log").path
        let writer = LogWriter(to: try LogFile(appendingTo: path), longestQueue: 1 << 20, thread: life) { _ in }
        let lines = (0..<1000).map { "line \($0)\n" }
        for line in lines {
            writer.write(Self.bytes(line))
            if line.hasSuffix("00\n") { #expect(await Self.wait { writer.isIdle }) }
        }
        writer.finish()
        #expect(await Self.wait { writer.isIdle })
        #expect(try String(contentsOfFile: path, encoding: .utf8) == lines.joined())
        #expect(writer.droppedLines == 0)
        writer.write(Self.bytes("late\n"))
        #expect(writer.droppedLines == 1)
    }

    @Test
    func `a log without a reader never blocks, counts excess lines, and writes the rest to a new reader`()
        async throws
    {
        let pipe = try NamedPipe(in: directory)
        defer { close(pipe.reader) }
        let notices = Notices()
        let limit = 64 * 1024
        let writer = LogWriter(to: try LogFile(appendingTo: pipe.path), longestQueue: limit, thread: .permanent) {
            notices.add($0)
        }
        let line = Self.bytes(String(repeating: "x", count: 99) + "\n")
        // The pipe accepts these lines.
        for _ in 0..<600 { writer.write(line) }
        #expect(await Self.wait { writer.isIdle })
        for _ in 0..<5000 { writer.write(line) }
        let count = 5600
        #expect(!writer.isIdle)
        #expect(writer.droppedLines > 0)
        #expect(notices.all == [.linesAreDropped(cause: "more than \(limit) bytes wait to be written")])
        var text = ""
        #expect(
            await Self.wait {
                text += pipe.read()
                return writer.isIdle
            })
        text += pipe.read()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.allSatisfy { $0.utf8.count == 99 })
        #expect(lines.count + Int(writer.droppedLines) == count)
        #expect(notices.all.dropFirst() == [.linesAreWrittenAgain(dropped: writer.droppedLines)])
        writer.finish()
    }

    @Test func `unread lines go to another file when the log is redirected`() async throws {
        let pipe = try NamedPipe(in: directory)
        defer { close(pipe.reader) }
        let path = directory.appendingPathComponent("log").path
        let writer = LogWriter(to: try LogFile(appendingTo: pipe.path), longestQueue: 1 << 20, thread: .permanent) {
            _ in
        }
        let lines = (0..<10_000).map { "line \($0)\n" }
        for line in lines { writer.write(Self.bytes(line)) }
        // More than a pipe holds, so some lines wait.
        #expect(!writer.isIdle)
        writer.redirect(to: try LogFile(appendingTo: path))
        #expect(await Self.wait { writer.isIdle })
        #expect(pipe.read() + (try String(contentsOfFile: path, encoding: .utf8)) == lines.joined())
        #expect(writer.droppedLines == 0)
        writer.finish()
    }

    @Test func `a line longer than a pipe accepts at once is written completely to the redirected file`()
        async throws
    {
        let pipe = try NamedPipe(in: directory)
        defer { close(pipe.reader) }
        let path = directory.appendingPathComponent("log").path
        let writer = LogWriter(to: try LogFile(appendingTo: pipe.path), longestQueue: 1 << 20, thread: .permanent) {
            _ in
        }
        let line = String(repeating: "x", count: 100_000) + "\n"
        writer.write(Self.bytes(line))
        var read = 0
        // The pipe is full with part of a line, and the writer waits.
        #expect(await Self.wait { unsafe ioctl(pipe.reader, UInt(FIONREAD), &read) == 0 && read >= 65_536 })
        writer.redirect(to: try LogFile(appendingTo: path))
        #expect(await Self.wait { writer.isIdle })
        #expect(try String(contentsOfFile: path, encoding: .utf8) == line)
        writer.finish()
    }

    @Test func `lines lost with a reader that has gone are counted, and the next reader gets whole lines`() async throws
    {
        let before = signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, before) }
        let pipe = try NamedPipe(in: directory)
        let notices = Notices()
        let writer = LogWriter(to: try LogFile(appendingTo: pipe.path), longestQueue: 1 << 20, thread: .permanent) {
            notices.add($0)
        }
        close(pipe.reader)
        writer.write(Self.bytes("one\ntwo\n"))
        #expect(await Self.wait { writer.droppedLines == 2 })
        #expect(notices.all == [.linesAreDropped(cause: "Broken pipe")])
        let reader = unsafe open(pipe.path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        writer.write(Self.bytes("three\n"))
        #expect(await Self.wait { notices.all.count == 2 })
        #expect(notices.all.last == .linesAreWrittenAgain(dropped: 2))
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = unsafe Glibc.read(reader, &buffer, buffer.count)
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "three\n")
        writer.finish()
    }

    @Test
    func `opening a pipe without a reader, a directory or a missing path fails without waiting`()
        throws
    {
        let path = directory.appendingPathComponent("pipe").path
        try #require(unsafe mkfifo(path, 0o600) == 0)
        #expect(throws: LogFileFailure(path: path, number: ENXIO)) { try LogFile(appendingTo: path) }
        #expect(throws: LogFileFailure(path: directory.path, number: EISDIR)) {
            try LogFile(appendingTo: directory.path)
        }
        #expect(throws: LogFileFailure(path: "/nowhere/at/all", number: ENOENT)) {
            try LogFile(appendingTo: "/nowhere/at/all")
        }
    }

    // MARK: Half a line

    @Test func `half a line is cut off if only this process wrote to the file`() throws {
        let path = directory.appendingPathComponent("log").path
        let file = try LogFile(appendingTo: path)
        #expect(file.write(Self.bytes("one\ntw")[...]) == .wrote(6))
        file.endLine(after: 2)
        #expect(file.write(Self.bytes("three\n")[...]) == .wrote(6))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\nthree\n")
    }

    @Test func `half a line followed by another process's line is ended, and nothing is cut off`() throws {
        let path = directory.appendingPathComponent("log").path
        let file = try LogFile(appendingTo: path)
        let other = try LogFile(appendingTo: path)
        #expect(file.write(Self.bytes("one\ntw")[...]) == .wrote(6))
        #expect(other.write(Self.bytes("another\n")[...]) == .wrote(8))
        file.endLine(after: 2)
        #expect(file.write(Self.bytes("three\n")[...]) == .wrote(0))
        #expect(file.write(Self.bytes("three\n")[...]) == .wrote(6))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwanother\n\nthree\n")
    }
}
