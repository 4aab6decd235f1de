import Testing

@testable import ReverseProxy

/// Which connections wait for a session, and until when.
struct SessionJoinersTests {
    /// Begins are written down.
    private final class Begun {
        var numbers: [Int] = []
    }

    private func begin(_ begins: [() -> Void]) { for begin in begins { begin() } }

    @Test func `as many wait as sessions are likely to take`() {
        var joiners = SessionJoiners()
        #expect(!joiners.wait(for: 0, until: 1) {})
        let waiting = (0..<250).prefix { _ in joiners.wait(for: 1, until: 1) {} }.count
        #expect(waiting == 100)
        #expect(joiners.wait(for: 2, until: 1) {})
        #expect(joiners.takeAll().count == 101)
        joiners.stated(3)
        #expect((0..<10).prefix { _ in joiners.wait(for: 2, until: 1) {} }.count == 6)
        // One that takes nothing says little about the next.
        joiners.stated(0)
        #expect(joiners.takeAll().count == 6 && joiners.wait(for: 1, until: 1) {} && !joiners.wait(for: 1, until: 1) {})
    }

    @Test func `who has waited for long enough begins, in order, and once`() {
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
