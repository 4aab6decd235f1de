import Testing

@testable import KnownTokens

@Suite struct TokenCacheLayoutTests {
    @Test(arguments: [0, 1, 1000, 64 << 10, 100_000, 256 << 10, 1 << 20, 128 << 20, 300 << 20, 64 << 30])
    func `the parts of the cache stay within the byte limit, even while the index grows`(byteLimit: Int) {
        let layout = TokenCacheLayout(byteLimit: byteLimit, shards: 16)
        let index = layout.mostSlots * 8 + layout.mostSlots * 8 / TokenSlotIndex.growth
        #expect(layout.shards * (index + layout.probationBytes + layout.mainBytes) <= byteLimit)
        #expect(layout.shards * (index + layout.probationBytes + layout.mainBytes) >= byteLimit - 64 * layout.shards)
    }

    @Test(arguments: [
        (64 << 10, 1), (256 << 10, 1), (512 << 10 - 1, 1), (512 << 10, 2), (4 << 20, 16), (300 << 20, 16),
    ])
    func `a small cache has fewer shards`(byteLimit: Int, shards: Int) {
        #expect(TokenCacheLayout(byteLimit: byteLimit, shards: 16).shards == shards)
    }

    @Test func `the probation ring has a tenth of the bytes, at least two of the longest records, and at most half`() {
        let large = TokenCacheLayout(byteLimit: 160 << 20, shards: 16)
        #expect((9...10).contains(100 * large.probationBytes / (large.probationBytes + large.mainBytes)))
        #expect(TokenCacheLayout(byteLimit: 64 << 10, shards: 1).probationBytes == 2 * (32 + 8192))
        let tiny = TokenCacheLayout(byteLimit: 8 << 10, shards: 1)
        #expect(tiny.probationBytes <= tiny.mainBytes)
    }
}
