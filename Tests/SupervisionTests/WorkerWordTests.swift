import Testing

@testable import Supervision

struct WorkerWordTests {
    private static func words(_ bytes: [UInt8]) -> [WorkerWord] {
        var reader = WorkerWord.Reader()
        return reader.words(in: bytes)
    }

    private static let limits = WorkerLimits(start: .milliseconds(63_000), end: .milliseconds(40_500))

    @Test func `worker messages are read as sent, however the bytes are split`() {
        let said: [WorkerWord] = [
            .limits(Self.limits), .ready, .limits(WorkerLimits(start: .zero, end: .zero)), .stoppedAccepting,
        ]
        let bytes = said.flatMap(\.bytes)
        for cut in bytes.indices {
            var reader = WorkerWord.Reader()
            let read = reader.words(in: bytes[..<cut]) + reader.words(in: bytes[cut...])
            #expect(read == said)
        }
    }

    @Test func `worker messages cannot be confused with those of an earlier version`() {
        for seconds in [0, 1, 2, 12, 21, 86_400] {
            let limits = WorkerLimits(start: .seconds(seconds), end: .seconds(2 * seconds))
            #expect(WorkerWord.limits(limits).bytes.allSatisfy { $0 > 2 })
        }
        #expect(WorkerWord.ready.bytes == [1])
        #expect(WorkerWord.stoppedAccepting.bytes == [2])
    }

    @Test(arguments: [
        "L", "L1", "L1 2 3", "L-1 5", "L1 x", "M1 2", "L99999999999999999999 1", String(repeating: "L", count: 1000),
    ])
    func `a line that is no worker message is skipped`(_ line: String) {
        #expect(Self.words(Array("\(line)\n".utf8) + [1]) == [.ready])
    }

    @Test func `time limits reported by a worker are at most a week`() {
        let week = Duration.seconds(7 * 86_400)
        #expect(
            Self.words(Array("L9223372036854775807 9223372036854775807\n".utf8)) == [
                .limits(WorkerLimits(start: week, end: week))
            ])
    }
}
