import ConfigurationFile
import Denials
import MetricFamilies
import ReverseProxy

/// The file of `--shadow` beside a running gateway: every request is judged by it, and none obeys it.
public actor RunningShadow {
    private let gateway: Gateway
    private let process: ProcessParts
    /// The generation that it is compared with.
    private var inForce: Generation
    /// Nil until the file could be used once.
    private(set) var generation: Generation?
    /// History of the file. Nil without such a file.
    private(set) var loads: FileLoads?
    private var hasEnded = false
    /// Each is built beside what is in force by then.
    var turns = Turns()

    init(beside inForce: Generation, _ gateway: Gateway, _ process: ProcessParts) {
        (self.inForce, self.gateway, self.process) = (inForce, gateway, process)
    }

    /// Has every request compared with what another configuration would make of it, from now on. That delays and
    /// changes nothing.
    public func put(_ new: Configuration) async {
        await turns.take { await self.load(new) }.value
    }

    /// Notes that the file could not be used; the last good one stays, if there is one.
    public func refuse(_ cause: String) {
        loads = loads ?? FileLoads()
        loads?.noteRefusal(cause)
    }

    /// A reload has put another generation in force: what is compared with it is built again. Nobody waits for that.
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
        // A reload is being handed to the event loops: soon all of it is in force.
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
                "1 while requests are compared with the file of `--shadow`, 0 if it could not be used yet; absent without one.",
                loads.map { _ in isUsed ? 1 : 0 }),
            .counter(
                "bearward_shadow_reloads_total", "Readings of the file of `--shadow`, by result.",
                loads?.counts.samples ?? []),
        ]
    }
}
