/// A target as the file has it.
public struct FleetMember: Sendable, Hashable {
    public let name: String
    /// At least 1.
    public let weight: Int

    public init(name: String, weight: Int = 1) {
        self.name = name
        self.weight = weight
    }
}

/// The target that a request goes to.
public struct FleetChoice: Sendable, Hashable {
    public let target: Int
    /// Whether the request tries if a target that was left out is back.
    public let isProbe: Bool
    /// The event loop that uses or closes an idle connection before there is a new one for the request; nil: there is
    /// room beside them.
    public internal(set) var replacedOn: Int?
}

/// What a fleet has to know of a request to judge the answer to it.
public struct FleetRequest: Sendable, Hashable {
    /// The rule that it fell under, as a number of the caller's.
    public let rule: Int
    public let client: ClientKey

    public init(rule: Int, client: ClientKey) {
        self.rule = rule
        self.client = client
    }
}

/// A client's address in IPv6 form, in two halves.
public struct ClientKey: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }
}

/// Why an attempt failed, or a target is left out.
public enum FleetFailure: Sendable, Hashable {
    case connect
    case reset
    case timeout
    /// It announced that it takes no requests.
    case takesNoRequests
    /// 502, 503 or 504.
    case answer(Int)
    /// A health check, not a request.
    case check(CheckFault)
    /// None: an operator took it out.
    case drained
}

/// What was wrong with the answer to a health check.
public enum CheckFault: Sendable, Hashable {
    case connect
    case reset
    case timeout
    /// Another status than the file expects.
    case status(Int)
    /// Of gRPC: another state than `SERVING`.
    case notServing
    /// No answer of gRPC's health service; its status, if it has one.
    case grpc(Int?)
}

/// What an operator should know.
public enum FleetEvent: Sendable, Hashable {
    case ejected(Int, FleetFailure)
    case returned(Int)
    /// Its health checks fail.
    case down(Int, CheckFault)
    /// Its health checks pass again.
    case up(Int)
}

/// A target as the admin listener shows it.
public struct FleetTargetStatus: Sendable, Hashable {
    public let isIn: Bool
    /// Whether it is no target any more, and only ends what it has.
    public let hasLeft: Bool
    /// Monotonic, in nanoseconds; nil: since the start.
    public let since: Int64?
    /// Why it is out.
    public let cause: FleetFailure?
    public let inFlight: Int
    /// Smoothed, in nanoseconds; nil: it has not answered yet.
    public let latency: Double?
}

/// Some of a fleet's targets.
public struct TargetSet: Sendable, Hashable {
    private var bits: UInt64 = 0

    public init() {}

    public var isEmpty: Bool { bits == 0 }

    public func contains(_ index: Int) -> Bool { bits & Self.bit(index) != 0 }

    public mutating func insert(_ index: Int) { bits |= Self.bit(index) }

    private static func bit(_ index: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: index) }
}
