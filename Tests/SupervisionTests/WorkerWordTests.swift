import Testing

@testable import Supervision

struct WorkerWordTests {
    private static func words(_ bytes: [UInt8]) -> [WorkerWord] {
        var reader = WorkerWord.Reader()
        return reader.words(in: bytes)
    }

    private static let limits = WorkerLimits(start: .milliseconds(63_000), end: .milliseconds(40_500))

    @Test func `words are read as they were said, however they are cut`() {
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

    @Test func `a supervisor of an earlier version takes nothing else for one of its words`() {
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
    func `what is no word is passed over`(_ line: String) {
        #expect(Self.words(Array("\(line)\n".utf8) + [1]) == [.ready])
    }

    @Test func `no wait is longer than a week, whatever a worker says`() {
        let week = Duration.seconds(7 * 86_400)
        #expect(
            Self.words(Array("L9223372036854775807 9223372036854775807\n".utf8)) == [
                .limits(WorkerLimits(start: week, end: week))
            ])
    }
}
