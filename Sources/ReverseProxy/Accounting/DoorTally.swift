import AuthorizationDoors

/// Answers at doors of one kind that were permissions, or were not.
public struct DoorAnswerSeries: Hashable, Sendable {
    /// The kind of the door.
    public let door: String
    public let isPermission: Bool
}

/// One event loop's answers at doors since they were last handed over.
struct DoorTally {
    private struct Count {
        let door: DoorKind
        let isPermission: Bool
        var count: UInt64
    }

    // A few at most, and looking through them takes less than hashing a name for each answer.
    private var counts: [Count] = []

    var isEmpty: Bool { counts.isEmpty }

    mutating func add(_ door: DoorKind, isPermission: Bool) {
        // In bounds: an index of the array itself.
        if let index = counts.firstIndex(where: { $0.door == door && $0.isPermission == isPermission }) {
            counts[index].count &+= 1
        } else {
            counts.append(Count(door: door, isPermission: isPermission, count: 1))
        }
    }

    /// Adds the counts to the sums, and resets them.
    mutating func handOver(to sums: inout [DoorAnswerSeries: UInt64]) {
        for each in counts {
            sums[DoorAnswerSeries(door: each.door.rawValue, isPermission: each.isPermission), default: 0] &+= each.count
        }
        counts.removeAll(keepingCapacity: true)
    }
}
