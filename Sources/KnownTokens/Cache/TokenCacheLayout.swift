/// How the bytes of a cache are divided among its shards, and a shard's among its index and rings.
struct TokenCacheLayout: Hashable {
    let shards: Int
    let mostSlots: Int
    let probationBytes: Int
    let mainBytes: Int

    /// Shards smaller than this would have rings of a few records only.
    private static let leastShardBytes = 256 * 1024

    init(byteLimit: Int, shards: Int) {
        self.shards = max(1, min(shards, byteLimit / Self.leastShardBytes))
        let bytes = max(0, byteLimit) / self.shards
        // A tenth: enough for as many records as the rings hold if they have 60 bytes or more.
        let indexBytes = bytes / 10
        mostSlots = indexBytes / MemoryLayout<UInt64>.stride
        // While the index grows to its last size, its last but one, a quarter of it, is there as well.
        let ringBytes = bytes - indexBytes - indexBytes / TokenPlaceIndex.growth
        // A tenth for those on probation, but two of the longest records where that is more.
        let largest = TokenRecordHeader.slotSize(forLength: TokenRecordBytes.mostBytes)
        probationBytes = min(ringBytes / 2, max(ringBytes / 10, 2 * largest)) / 8 * 8
        mainBytes = (ringBytes - probationBytes) / 8 * 8
    }
}
