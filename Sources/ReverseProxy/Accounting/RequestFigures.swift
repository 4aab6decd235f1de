/// The requests of one rule whose answers had statuses of one class.
public struct RequestSeries: Hashable, Sendable {
    /// The resource's identifier; empty where no resource matched.
    public let resource: String
    /// The rule as the file has it; empty where none matched.
    public let rule: String
    public let status: StatusClass
}

/// What is counted of a series of requests.
public struct RequestFigures: Sendable, Hashable {
    /// From the first byte of the request to the end of its answer.
    public private(set) var durations = DurationHistogram()
    public private(set) var bytesIn: UInt64 = 0
    public private(set) var bytesOut: UInt64 = 0

    mutating func add(_ duration: Int64, bytesIn: Int, bytesOut: Int) {
        durations.add(duration)
        self.bytesIn &+= UInt64(truncatingIfNeeded: bytesIn)
        self.bytesOut &+= UInt64(truncatingIfNeeded: bytesOut)
    }

    mutating func add(_ block: ArraySlice<UInt64>) {
        for (counter, count) in zip(RequestTally.Counter.allCases, durations.add(block)) {
            switch counter {
            case .bytesIn: bytesIn &+= count
            case .bytesOut: bytesOut &+= count
            }
        }
    }
}
