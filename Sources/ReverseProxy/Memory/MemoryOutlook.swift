/// A warning that the bounds on memory are too low for a gateway, found before it serves.
public struct MemoryOutlook: Sendable, Hashable {
    public let message: String
    public let hint: String

    /// Checks the bounds of this process; a gateway started from the same environment has the same.
    ///
    /// - Returns: Nil if they are high enough, or there are none.
    public init?(eventLoops: Int) {
        self.init(
            eventLoops: eventLoops, controlGroups: ProcessMemory.controlGroups(),
            addressSpace: ProcessMemory.mappedSpace())
    }

    init?(eventLoops: Int, controlGroups: [MemoryUse], addressSpace: MemoryUse?) {
        if let bound = controlGroups.map(\.bound).min(), bound < Self.held &+ Self.leastForClients {
            message =
                "memory is bounded to \(Self.mebibytes(bound)) MiB, and a gateway without a client holds "
                + "about \(Self.mebibytes(Self.held))"
            hint = "bound it to \(Self.mebibytes(Self.held &+ Self.leastForClients)) MiB or more"
            return
        }
        guard let addressSpace else { return nil }
        let mapped = addressSpace.used &+ Self.threads &+ max(1, eventLoops) &* Self.eachLoop
        guard addressSpace.bound < mapped &+ Self.leastForClients else { return nil }
        message =
            "address space is bounded to \(Self.mebibytes(addressSpace.bound)) MiB, and "
            + "about \(Self.mebibytes(mapped)) are mapped at the start"
        hint =
            "bound it to \(Self.mebibytes(mapped &+ Self.leastForClients)) MiB or more, or bound memory by a control group instead"
    }

    /// Memory that an idle gateway uses, in bytes.
    private static let held = 64 << 20
    /// Least memory that must remain for clients, in bytes.
    private static let leastForClients = 96 << 20
    /// Address space of one event loop (its stack and its thread's heap), and of the gateway's other threads, in bytes.
    /// A command that only checks does not have these threads.
    private static let (eachLoop, threads) = (72 << 20, 544 << 20)

    private static func mebibytes(_ byteCount: Int) -> Int { byteCount >> 20 }
}
