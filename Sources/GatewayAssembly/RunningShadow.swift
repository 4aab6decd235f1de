import Administration
import ConfigurationFile
import Denials
import MetricFamilies
import ReverseProxy

/// The file of `--shadow` beside a running gateway: every request is judged by it, and none obeys it.
struct RunningShadow {
    /// Nil until the file could be used once.
    var generation: Generation?
    /// Nil without such a file.
    private(set) var file: FileLoads?
    /// Each is built beside what is in force by then.
    var turns = Turns()

    /// The history of the file, which begins with the first change.
    var loads: FileLoads {
        get { file ?? FileLoads() }
        set { file = newValue }
    }

    var families: [MetricFamily] {
        [
            .gauge(
                "bearward_shadow_up",
                "1 while requests are compared with the file of `--shadow`, 0 if it could not be used yet; absent without one.",
                file.map { _ in generation == nil ? 0 : 1 }),
            .counter(
                "bearward_shadow_reloads_total", "Readings of the file of `--shadow`, by result.",
                file?.counts.samples ?? []),
        ]
    }
}

extension RunningGateway {
    /// Has every request compared with what another configuration would make of it, from now on. That delays and
    /// changes nothing.
    public func putShadow(_ new: Configuration) async {
        await shadow.turns.take { await self.load(new) }.value
    }

    /// Notes that the file of `--shadow` could not be used; the last good one stays, if there is one.
    public func shadowRefused(_ cause: String) {
        shadow.loads.noteRefusal(cause)
    }

    /// Has the shadow built again, because what it is compared with has changed. Nobody waits for that.
    func renewShadow() {
        _ = shadow.turns.take {
            guard let generation = await self.shadow.generation else { return }
            try? await self.place(generation.configuration)
        }
    }

    private func load(_ new: Configuration) async {
        do {
            try await place(new)
            shadow.loads.noteSuccess()
        } catch {
            shadowRefused("\(error)")
        }
    }

    private func place(_ new: Configuration) async throws(StartFailure) {
        // A reload is being handed to the event loops: soon all of it is in force.
        while gateway.configuration.generation != current.number, phase != .draining {
            try? await Task.sleep(for: .milliseconds(10))
        }
        guard phase != .draining else { throw .draining }
        let (inForce, judge, predecessor) = (current, gateway.configuration.authorizer, shadow.generation)
        try await Generation.prepare(new, after: predecessor, beside: inForce, in: process) {
            next throws(StartFailure) in
            guard phase != .draining else { throw .draining }
            let policy = try next.shadowPolicy(beside: inForce, judge)
            shadow.generation = next
            await gateway.put(policy)
            await predecessor?.release(keptBy: next)
        }
    }
}
