/// Answers at doors of one kind that were permissions, or were not.
public struct DoorAnswerSeries: Hashable, Sendable {
    /// The kind of the door.
    public let door: String
    public let isPermission: Bool
}

/// One event loop's answers at doors since they were last handed over.
struct DoorTally {
    private var counts: [DoorAnswerSeries: UInt64] = [:]

    var isEmpty: Bool { counts.isEmpty }

    mutating func add(_ series: DoorAnswerSeries) { counts[series, default: 0] &+= 1 }

    /// Adds the counts to the sums, and resets them.
    mutating func handOver(to sums: inout [DoorAnswerSeries: UInt64]) {
        for (series, count) in counts { sums[series, default: 0] &+= count }
        counts.removeAll(keepingCapacity: true)
    }
}
