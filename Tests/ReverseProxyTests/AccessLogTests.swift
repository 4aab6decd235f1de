import Foundation
import Logging
import TestSupport
import Testing

@testable import ReverseProxy

@Suite(.serialized)
struct AccessLogTests {
    private let temporary: TemporaryFolder
    private var directory: URL { temporary.url }
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws { temporary = try TemporaryFolder() }

    @Test func `log lines are appended, and reopening starts a new file`() async throws {
        let file = directory.appendingPathComponent("access.log")
        let moved = directory.appendingPathComponent("access.log.1")
        try "old\n".write(to: file, atomically: false, encoding: .utf8)
        let log = try AccessLog(.file(path: file.path), logger: logger)
        log.write(Array("one\n".utf8))
        try await eventually { (try? String(contentsOf: file, encoding: .utf8)) == "old\none\n" }
        try FileManager.default.moveItem(at: file, to: moved)
        log.reopen()
        log.write(Array("two\n".utf8))
        await log.close()
        #expect(try String(contentsOf: moved, encoding: .utf8) == "old\none\n")
        #expect(try String(contentsOf: file, encoding: .utf8) == "two\n")
        #expect(log.droppedLines == 0)
    }

    @Test func `log lines follow a redirect, and a destination that cannot be opened leaves the log as it is`()
        async throws
    {
        let first = directory.appendingPathComponent("first.log")
        let second = directory.appendingPathComponent("second.log")
        let log = try AccessLog(.file(path: first.path), logger: logger)
        #expect(throws: (any Error).self) { try log.redirect(to: .file(path: "/nowhere/at/all")) }
        #expect(log.destination == .file(path: first.path))
        log.write(Array("one\n".utf8))
        try await eventually { (try? String(contentsOf: first, encoding: .utf8)) == "one\n" }
        try log.redirect(to: .none)
        #expect(!log.isOn)
        try log.redirect(to: .file(path: second.path))
        #expect(log.isOn)
        log.write(Array("two\n".utf8))
        await log.close()
        #expect(try String(contentsOf: second, encoding: .utf8) == "two\n")
        #expect(try String(contentsOf: first, encoding: .utf8) == "one\n")
    }

    @Test func `lines that a full disk refuses are dropped and counted (F36)`() async throws {
        let log = try AccessLog(.file(path: "/dev/full"), logger: logger)
        log.write(Array("one\ntwo\n".utf8))
        await log.close()
        #expect(log.droppedLines == 2)
    }

    @Test func `lines beyond the queue limit are dropped and counted`() async throws {
        let log = try AccessLog(.file(path: directory.appendingPathComponent("a").path), logger: logger)
        log.write([UInt8](repeating: UInt8(ascii: "\n"), count: AccessLog.longestQueue + 1))
        #expect(log.droppedLines == UInt64(AccessLog.longestQueue + 1))
        log.write(Array("one\n".utf8))
        await log.close()
        #expect(log.droppedLines == UInt64(AccessLog.longestQueue + 1))
    }

    @Test func `a log file that cannot be opened is an error`() {
        #expect(throws: (any Error).self) { try AccessLog(.file(path: "/nowhere/at/all"), logger: logger) }
    }
}
