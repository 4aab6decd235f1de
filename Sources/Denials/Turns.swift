/// Asynchronous work that is done one piece after another, in the order in which it comes.
///
/// A piece begins when the one before has ended, also where that one was suspended. An actor that keeps its turns here
/// sees no piece in the middle of another.
public struct Turns: Sendable {
    private var last: Task<Void, Never>?

    public init() {}

    /// Takes a piece of work, and begins it when all that came before has ended.
    public mutating func take<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Task<Result, Never> {
        let task = Task { [last] in
            await last?.value
            return await work()
        }
        last = Task { _ = await task.value }
        return task
    }
}
