import Testing

@testable import KeySets

@Suite struct RefusedKeyIDsTests {
    private let beginning = ContinuousClock.now

    @Test func `one is remembered for a minute`() {
        var refused = RefusedKeyIDs()
        refused.insert("a", at: beginning)
        #expect(refused.contains("a", at: beginning.advanced(by: .seconds(59))))
        #expect(!refused.contains("a", at: beginning.advanced(by: .seconds(60))))
        #expect(!refused.contains("b", at: beginning))
        refused.insert("e\u{301}", at: beginning)
        #expect(!refused.contains("\u{e9}", at: beginning))
        refused.removeAll()
        #expect(!refused.contains("a", at: beginning))
    }

    @Test func `the number remembered is bounded, until some are old`() {
        var refused = RefusedKeyIDs()
        for number in 0..<2000 { refused.insert("\(number)", at: beginning) }
        #expect(refused.count == RefusedKeyIDs.limit)
        #expect(refused.contains("0", at: beginning) && !refused.contains("1999", at: beginning))
        let later = beginning.advanced(by: .seconds(60))
        refused.insert("1999", at: later)
        #expect(refused.count == 1)
        #expect(refused.contains("1999", at: later))
    }
}
