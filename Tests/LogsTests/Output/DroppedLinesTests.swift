import Testing

@testable import Logs

struct DroppedLinesTests {
    private let start = ContinuousClock.now

    private func check<Value: Equatable>(_ value: Value, _ expected: Value, at place: SourceLocation = #_sourceLocation)
    {
        #expect(value == expected, sourceLocation: place)
    }

    @Test func `one warning is logged when lines begin to be dropped, and one message when writing resumes`() {
        var lines = DroppedLines()
        for turn in 0..<3 {
            let now = start + .milliseconds(turn)
            check(lines.recover(at: now), nil)
            check([lines.drop(2, at: now), lines.drop(3, at: now), lines.drop(1, at: now)], [true, false, false])
            check(lines.recover(at: now), 6)
            check(lines.recover(at: now), nil)
        }
        #expect(lines.total == 18)
    }

    @Test
    func `if dropping and writing alternate quickly, a pair a second is logged, and every line is counted`() {
        var lines = DroppedLines()
        var (warnings, told) = (0, UInt64(0))
        for turn in 0..<1000 {
            let now = start + .milliseconds(turn * 10)
            if lines.drop(1, at: now) { warnings += 1 }
            told += lines.recover(at: now) ?? 0
        }
        told += lines.recover(at: start + .seconds(60)) ?? 0
        #expect(warnings >= 10 && warnings <= 10 + DroppedLines.savedWarnings)
        #expect(told == 1000 && lines.total == 1000)
    }

    @Test func `without dropped lines nothing is logged`() {
        var lines = DroppedLines()
        check(lines.drop(0, at: start), false)
        check(lines.recover(at: start), nil)
    }
}
