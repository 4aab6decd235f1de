/// Target of an upstream, as the configuration file has it.
public struct FleetMember: Sendable, Hashable {
    public let name: String
    /// Weight in load balancing; at least 1.
    public let weight: Int

    public init(name: String, weight: Int = 1) {
        self.name = name
        self.weight = weight
    }
}

/// Target chosen for a request.
public struct FleetChoice: Sendable, Hashable {
    public let target: Int
    /// True if the request probes whether an ejected target is back.
    public let isProbe: Bool
    /// Number of the event loop that must use or close an idle connection before the request gets a new one. Nil if the
    /// target has a free slot beside its idle connections.
    public internal(set) var replacedOn: Int?
}

/// Properties of a request that a fleet needs to judge the response to it.
public struct FleetRequest: Sendable, Hashable {
    /// Number of the rule that the request matched, assigned by the caller.
    public let rule: Int
    public let client: ClientKey

    public init(rule: Int, client: ClientKey) {
        self.rule = rule
        self.client = client
    }
}

/// Address of a client in IPv6 form, in two halves.
public struct ClientKey: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }
}

/// Reason that an attempt failed, or that a target is left out.
public enum FleetFailure: Sendable, Hashable {
    case connect
    case reset
    case timeout
    /// The target announced that it takes no requests.
    case takesNoRequests
    /// Response with the status 502, 503 or 504.
    case answer(Int)
    /// Failed health check.
    case check(CheckFault)
    /// No failure: an operator drained the target.
    case drained
}

/// Fault that a health check found.
public enum CheckFault: Sendable, Hashable {
    case connect
    case reset
    case timeout
    /// Response with another status than the file expects.
    case status(Int)
    /// gRPC health state other than `SERVING`.
    case notServing
    /// Response that is no success of gRPC's health service, with its `grpc-status` if there was one.
    case grpc(Int?)
}

/// Change of a target's state that is logged for operators.
public enum FleetEvent: Sendable, Hashable {
    case ejected(Int, FleetFailure)
    case returned(Int)
    /// The target's health checks fail.
    case down(Int, CheckFault)
    /// The target's health checks pass again.
    case up(Int)
}

/// Status of a target, as the admin listener shows it.
public struct FleetTargetStatus: Sendable, Hashable {
    public let isIn: Bool
    /// True if the target has left the upstream, and only completes its current requests.
    public let hasLeft: Bool
    /// Time of the last change, monotonic, in nanoseconds. Nil if there was none since the start.
    public let since: Int64?
    /// Reason that the target is left out. Nil if it is in rotation.
    public let cause: FleetFailure?
    public let inFlight: Int
    /// Smoothed latency in nanoseconds. Nil if the target has not answered yet.
    public let latency: Double?
}

/// Set of targets of one fleet, by their indices.
public struct TargetSet: Sendable, Hashable {
    private var bits: UInt64 = 0

    public init() {}

    public var isEmpty: Bool { bits == 0 }

    public func contains(_ index: Int) -> Bool { bits & Self.bit(index) != 0 }

    public mutating func insert(_ index: Int) { bits |= Self.bit(index) }

    private static func bit(_ index: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: index) }
}
