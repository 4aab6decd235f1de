/// Wakes its owner at an instant, of which there is one at a time: another takes its place.
struct WakeUpTimer {
    private var waiting: Task<Void, Never>?

    /// Sets the instant; `wake` is called on the task that ``cancel()`` cancels.
    mutating func set(to instant: ContinuousClock.Instant, _ wake: @escaping @Sendable () async -> Void) {
        cancel()
        waiting = Task {
            do {
                try await Task.sleep(until: instant, clock: .continuous)
            } catch {
                return
            }
            await wake()
        }
    }

    func cancel() {
        waiting?.cancel()
    }
}
