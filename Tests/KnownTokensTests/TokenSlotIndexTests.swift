import TestSupport
import Testing

@testable import KnownTokens

@Suite struct TokenSlotIndexTests {
    @Test(arguments: [TokenSlot.Ring.probation, .main], [0, 8, 4096, TokenSlot.mostRingBytes - 8])
    func `a slot value holds its ring and offset, and is never zero`(ring: TokenSlot.Ring, offset: Int) {
        let place = TokenSlot(ring, offset: offset)
        #expect(place.ring == ring)
        #expect(place.offset == offset)
        #expect(place.rawValue != 0)
    }

    /// Tags at both ends of the table collide and wrap around its end.
    @Test(arguments: [[0, 1, 2], [UInt32.max, UInt32.max - 1, 0], []])
    func `every inserted entry is found until it is removed`(tags: [UInt32]) {
        var generator = SeededGenerator(seed: 5)
        var index = TokenSlotIndex(mostSlots: 1500)
        var model: [TokenSlot: UInt32] = [:]
        for number in 0..<6000 {
            if generator.once(in: 2), let (place, tag) = model.min(by: { $0.key.rawValue < $1.key.rawValue }) {
                let slot = index.slot(of: place, tag: tag)
                #expect(slot != nil)
                if let slot { index.remove(at: slot) }
                model[place] = nil
            } else if model.count < 120 || number > 3000 {
                let tag = tags.isEmpty ? UInt32.random(in: 0...UInt32.max, using: &generator) : generator.pick(tags)
                let place = TokenSlot(.main, offset: number * 8)
                let isIn = index.insert(place, tag: tag)
                #expect(isIn)
                model[place] = tag
            }
            let count = index.count
            #expect(count == model.count)
            if number % 100 == 0 {
                for (place, tag) in model {
                    let slot = index.slot(of: place, tag: tag)
                    #expect(slot != nil)
                }
            }
        }
        let absent = index.slot(of: TokenSlot(.probation, offset: 0), tag: 1)
        #expect(absent == nil)
    }

    @Test(arguments: [0, 1, 2, 4, 100, 1000, 5000]) func `an index holds at most three quarters of its slots`(
        mostSlots: Int
    ) {
        var index = TokenSlotIndex(mostSlots: mostSlots)
        var generator = SeededGenerator(seed: 6)
        var sizes: Set<Int> = []
        for number in 0..<mostSlots * 3 / 4 {
            let isIn = index.insert(
                TokenSlot(.main, offset: number * 8), tag: UInt32.random(in: 0...UInt32.max, using: &generator))
            #expect(isIn)
            sizes.insert(index.bytes)
        }
        let isIn = index.insert(TokenSlot(.main, offset: mostSlots * 8), tag: 1)
        #expect(!isIn)
        let (hasRoom, count, bytes) = (index.hasRoom, index.count, index.bytes)
        #expect(!hasRoom)
        #expect(count == mostSlots * 3 / 4)
        #expect(bytes <= mostSlots * 8)
        // While the index grows to its last size, the previous one exists too; the layout has reserved a quarter for
        // that.
        for size in sizes where size < mostSlots * 8 { #expect(size <= mostSlots * 8 / TokenSlotIndex.growth) }
    }
}
