/// Timer that wakes its owner at one instant. Setting another instant replaces the first.
struct WakeUpTimer {
    private var waiting: Task<Void, Never>?

    /// Sets the instant. `wake` is called in the task that ``cancel()`` cancels.
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
