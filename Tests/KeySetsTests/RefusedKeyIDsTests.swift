import Testing

@testable import KeySets

@Suite struct RefusedKeyIDsTests {
    private let beginning = ContinuousClock.now

    private func after(_ seconds: Int) -> ContinuousClock.Instant { beginning.advanced(by: .seconds(seconds)) }

    @Test func `a refused key ID is remembered for a minute`() {
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

    @Test func `refused key IDs are compared byte for byte, and can all be forgotten at once`() {
        var refused = RefusedKeyIDs()
        refused.insert("e\u{301}", at: beginning)
        #expect(refused.contains("e\u{301}") && !refused.contains("\u{e9}"))
        refused.removeAll()
        #expect(!refused.contains("e\u{301}"))
        #expect(refused.nextEnd == nil)
    }

    @Test func `every refused key ID expires after its own minute`() {
        var refused = RefusedKeyIDs()
        refused.insert("a", at: beginning)
        refused.insert("b", at: after(30))
        #expect(refused.nextEnd == after(60))
        refused.expire(at: after(60))
        #expect(!refused.contains("a") && refused.contains("b"))
        #expect(refused.nextEnd == after(90))
    }

    @Test func `the number of refused key IDs is limited, until some expire`() {
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

    @Test func `the version of the list changes with every change, and only then`() {
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
