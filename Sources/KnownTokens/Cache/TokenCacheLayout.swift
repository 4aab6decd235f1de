/// Sizes of a cache's parts: its shards, and the index and rings of each shard.
struct TokenCacheLayout: Hashable {
    let shards: Int
    let mostSlots: Int
    let probationBytes: Int
    let mainBytes: Int

    /// Smaller shards would have rings of only a few records.
    private static let leastShardBytes = 256 * 1024

    init(byteLimit: Int, shards: Int) {
        self.shards = max(1, min(shards, byteLimit / Self.leastShardBytes))
        let bytes = max(0, byteLimit) / self.shards
        // A tenth: enough to index all records of the rings if they have 60 bytes or more each.
        let indexBytes = bytes / 10
        mostSlots = indexBytes / MemoryLayout<UInt64>.stride
        // While the index grows to its final size, the previous table, a quarter of it, exists as well.
        let ringBytes = bytes - indexBytes - indexBytes / TokenSlotIndex.growth
        // A tenth for the probation ring, but at least two of the longest records.
        let largest = TokenRecordHeader.slotSize(forLength: TokenRecordBytes.mostBytes)
        probationBytes = min(ringBytes / 2, max(ringBytes / 10, 2 * largest)) / 8 * 8
        mainBytes = (ringBytes - probationBytes) / 8 * 8
    }
}
