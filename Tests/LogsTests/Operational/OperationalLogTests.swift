import Logging
import ProxySettings
import StrictJSON
import Synchronization
import Testing

@testable import Logs

@Suite struct OperationalLogTests {
    /// Lines written to a log.
    private final class Written: Sendable {
        private let text = Mutex("")

        func log(_ settings: LogSettings = LogSettings(format: .json)) -> OperationalLog {
            OperationalLog(
                settings, now: { .milliseconds(1_795_478_400_042) },
                write: { [self] line in text.withLock { $0 += String(decoding: line, as: UTF8.self) } })
        }

        var all: String { text.withLock { $0 } }
    }

    @Test func `a log line is one JSON object: a constant message, and members in the order of the reference`() {
        let written = Written()
        let logger = written.log().logger.stating([.issuer: "logto"])
        logger.warning(
            "Key set could not be fetched",
            [.tooStale: .flag(false), .keys: .number(2), .cause: "no \"route\"\n", .names: .list(["a", "b"])])
        let expected =
            #"{"time":"2026-11-24T00:00:00.042Z","level":"warning","message":"Key set could not be fetched","cause":"no \"route\"\n","#
            + #""issuer":"logto","keys":2,"too_stale":false,"names":["a","b"]}"# + "\n"
        #expect(written.all == expected)
    }

    @Test func `a text log has the cause after the message, and values cannot break the line`() {
        let written = Written()
        written.log(LogSettings(format: .text)).logger.error(
            "Reload refused", [.file: "/etc/b.yaml", .cause: "it says\n\u{1B}[31m\u{202E}no"])
        #expect(
            written.all
                == "2026-11-24T00:00:00.042Z error Reload refused: it says\\u{a}\\u{1b}[31m\\u{202e}no file=/etc/b.yaml\n"
        )
    }

    @Test func `a log level lets through lines that are at least as severe`() {
        for (level, count) in zip(LogSettings.Level.allCases, [4, 3, 2, 1]) {
            let written = Written()
            let logger = written.log(LogSettings(format: .json, level: level)).logger
            logger.debug("a", [:])
            logger.notice("b", [:])
            logger.warning("c", [:])
            logger.error("d", [:])
            #expect(written.all.split(separator: "\n").count == count, "\(level)")
        }
    }

    @Test func `changed log settings apply at once to loggers in use`() {
        let written = Written()
        let log = written.log(LogSettings(format: .json, level: .error))
        let logger = log.logger
        logger.notice("before", [:])
        log.use(LogSettings(format: .text))
        logger.notice("after", [:])
        #expect(written.all == "2026-11-24T00:00:00.042Z notice after\n")
    }

    @Test func `members of libraries come last, whatever their values`() throws {
        let written = Written()
        written.log().logger.warning(
            "of a library", metadata: ["zone": ["a": "b"], "cause": "none", "real": .stringConvertible(1.5)])
        let line = written.all
        #expect(line.contains(#""cause":"none","real":"1.5","zone":"#))
        let document = try JSONDocument(parsing: Array(line.utf8).span, limits: .document)
        #expect(document.root.kind == .object)
    }

    @Test func `each log member has a unique name, a type and a unique meaning`() {
        let members = LogMember.allCases
        #expect(Set(members.map(\.meaning)).count == members.count)
        #expect(members.allSatisfy { $0.meaning.hasSuffix(".") })
        #expect(Set(members.map(\.rawValue)).isDisjoint(with: ["time", "level", "message"]))
    }
}
