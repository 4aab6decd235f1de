/// A queue of asynchronous work, done one piece after another in the order of arrival.
///
/// A piece starts when the previous one has finished, even if that was suspended meanwhile. So an actor that uses it
/// never runs two pieces interleaved.
public struct Turns: Sendable {
    private var last: Task<Void, Never>?

    public init() {}

    /// Adds a piece of work, which starts when all earlier ones have finished.
    public mutating func take<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Task<Result, Never> {
        let task = Task { [last] in
            await last?.value
            return await work()
        }
        last = Task { _ = await task.value }
        return task
    }
}
