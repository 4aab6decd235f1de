import ConfigurationFile
import Denials
import MetricFamilies
import ReverseProxy

/// The file of `--shadow` of a running gateway. Every request is judged by it too, without effect on the request.
public actor RunningShadow {
    private let gateway: Gateway
    private let process: ProcessParts
    /// Generation in force, which the shadow is compared with.
    private var inForce: Generation
    /// The shadow's generation. Nil until the file was valid once.
    private(set) var generation: Generation?
    /// History of the `--shadow` file. Nil if there is none.
    private(set) var loads: FileLoads?
    private var hasEnded = false
    /// Queue of changes, so that each shadow is built beside the generation in force at that time.
    var turns = Turns()

    init(beside inForce: Generation, _ gateway: Gateway, _ process: ProcessParts) {
        (self.inForce, self.gateway, self.process) = (inForce, gateway, process)
    }

    /// Compares every request from now on with the verdict of another configuration. That delays and changes nothing.
    public func put(_ new: Configuration) async {
        await turns.take { await self.load(new) }.value
    }

    /// Counts an invalid file. The last valid content stays in use, if there is one.
    public func refuse(_ cause: String) {
        loads = loads ?? FileLoads()
        loads?.noteRefusal(cause)
    }

    /// Notes that a reload has put another generation in force. The shadow is built again beside it, which nobody waits
    /// for.
    func take(_ next: Generation) {
        inForce = next
        _ = turns.take {
            guard let generation = await self.generation else { return }
            try? await self.place(generation.configuration)
        }
    }

    func end() async {
        hasEnded = true
        await generation?.release(keptBy: nil)
    }

    private func load(_ new: Configuration) async {
        do {
            try await place(new)
            loads = loads ?? FileLoads()
            loads?.noteSuccess()
        } catch {
            refuse("\(error)")
        }
    }

    private func place(_ new: Configuration) async throws(StartFailure) {
        // Waits until a reload in progress has reached the event loops.
        while gateway.configuration.generation != inForce.number, !hasEnded {
            try? await Task.sleep(for: .milliseconds(10))
        }
        let (inForce, judge, predecessor) = (inForce, gateway.configuration.authorizer, generation)
        try await Generation.prepare(new, after: predecessor, beside: inForce, in: process) {
            next throws(StartFailure) in
            guard !hasEnded else { throw .draining }
            let policy = try next.shadowPolicy(beside: inForce, judge)
            generation = next
            await gateway.put(policy)
            await predecessor?.release(keptBy: next)
        }
    }

    var families: [MetricFamily] { Self.families(of: loads, isUsed: generation != nil) }

    static func families(of loads: FileLoads?, isUsed: Bool) -> [MetricFamily] {
        [
            .gauge(
                "bearward_shadow_up",
                "1 while requests are compared with the `--shadow` file, 0 until it is first valid; absent without `--shadow`.",
                loads.map { _ in isUsed ? 1 : 0 }),
            .counter(
                "bearward_shadow_reloads_total", "Readings of the file of `--shadow`, by result.",
                loads?.counts.samples ?? []),
        ]
    }
}
