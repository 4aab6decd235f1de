/// Whether the bounds on memory leave a gateway enough, found before it serves.
public struct MemoryOutlook: Sendable, Hashable {
    public let message: String
    public let hint: String

    /// The bounds of this process, which a gateway that is started like it has too.
    ///
    /// - Returns: nil: they leave enough, or there are none.
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

    /// What a gateway holds that has nothing to do.
    private static let held = 64 << 20
    /// What is left for clients, at least.
    private static let leastForClients = 96 << 20
    /// What an event loop maps, its stack and the heap of its thread; and what the other threads of a gateway do, which
    /// a command has not.
    private static let (eachLoop, threads) = (72 << 20, 544 << 20)

    private static func mebibytes(_ byteCount: Int) -> Int { byteCount >> 20 }
}
