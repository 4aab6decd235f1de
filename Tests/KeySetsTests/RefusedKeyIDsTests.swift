import Testing

@testable import KeySets

@Suite struct RefusedKeyIDsTests {
    private let beginning = ContinuousClock.now

    private func after(_ seconds: Int) -> ContinuousClock.Instant { beginning.advanced(by: .seconds(seconds)) }

    @Test func `one is remembered for a minute`() {
        var refused = RefusedKeyIDs()
        #expect(refused.nextEnd == nil && !refused.contains("a"))
        refused.insert("a", at: beginning)
        #expect(refused.nextEnd == after(60))
        refused.expire(at: after(59))
        #expect(refused.contains("a") && !refused.contains("b"))
        refused.expire(at: after(60))
        #expect(!refused.contains("a"))
        #expect(refused.nextEnd == nil)
    }

    @Test func `one is compared byte for byte, and all are forgotten together`() {
        var refused = RefusedKeyIDs()
        refused.insert("e\u{301}", at: beginning)
        #expect(refused.contains("e\u{301}") && !refused.contains("\u{e9}"))
        refused.removeAll()
        #expect(!refused.contains("e\u{301}"))
        #expect(refused.nextEnd == nil)
    }

    @Test func `each has a minute of its own`() {
        var refused = RefusedKeyIDs()
        refused.insert("a", at: beginning)
        refused.insert("b", at: after(30))
        #expect(refused.nextEnd == after(60))
        refused.expire(at: after(60))
        #expect(!refused.contains("a") && refused.contains("b"))
        #expect(refused.nextEnd == after(90))
    }

    @Test func `the number remembered is bounded, until some are old`() {
        var refused = RefusedKeyIDs()
        for number in 0..<(RefusedKeyIDs.limit - 1) { refused.insert("\(number)", at: beginning) }
        #expect(!refused.isFull)
        refused.insert("last", at: beginning)
        #expect(refused.isFull)
        refused.insert("one more", at: beginning)
        #expect(refused.count == RefusedKeyIDs.limit)
        #expect(refused.contains("0") && refused.contains("last") && !refused.contains("one more"))
        refused.expire(at: after(60))
        #expect(!refused.isFull)
        refused.insert("one more", at: after(60))
        #expect(refused.count == 1)
    }

    @Test func `each change is told, and nothing else is`() {
        var refused = RefusedKeyIDs()
        refused.removeAll()
        refused.expire(at: after(1000))
        #expect(refused.version == 0)
        refused.insert("a", at: beginning)
        let version = refused.version
        #expect(version > 0)
        refused.expire(at: after(59))
        #expect(refused.version == version)
        refused.expire(at: after(60))
        #expect(refused.version > version)
    }
}
