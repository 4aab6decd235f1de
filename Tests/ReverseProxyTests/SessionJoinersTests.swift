import Testing

@testable import ReverseProxy

/// Requests that wait for a session that is being opened, and their deadlines.
struct SessionJoinersTests {
    /// Records the requests that began.
    private final class Begun {
        var numbers: [Int] = []
    }

    private func begin(_ begins: [() -> Void]) { for begin in begins { begin() } }

    @Test func `as many requests wait as the sessions being opened are likely to take`() {
        var joiners = SessionJoiners()
        #expect(!joiners.wait(for: 0, until: 1) {})
        let waiting = (0..<250).prefix { _ in joiners.wait(for: 1, until: 1) {} }.count
        #expect(waiting == 100)
        #expect(joiners.wait(for: 2, until: 1) {})
        #expect(joiners.takeAll().count == 101)
        joiners.stated(3)
        #expect((0..<10).prefix { _ in joiners.wait(for: 2, until: 1) {} }.count == 6)
        // A session with a limit of 0 says little about the next session.
        joiners.stated(0)
        #expect(joiners.takeAll().count == 6 && joiners.wait(for: 1, until: 1) {} && !joiners.wait(for: 1, until: 1) {})
    }

    @Test func `requests that have waited long enough begin once, in order`() {
        var joiners = SessionJoiners()
        let begun = Begun()
        for number in 0..<5 { _ = joiners.wait(for: 1, until: UInt64(10 + number)) { begun.numbers.append(number) } }
        begin(joiners.takeExpired(at: 9))
        #expect(begun.numbers.isEmpty)
        begin(joiners.takeExpired(at: 11))
        #expect(begun.numbers == [0, 1])
        begin(joiners.takeAll())
        begin(joiners.takeAll())
        begin(joiners.takeExpired(at: .max))
        #expect(begun.numbers == [0, 1, 2, 3, 4])
    }
}
