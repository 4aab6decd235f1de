import Synchronization

/// Many requests, a limited number of them concurrently.
enum Load {
    /// Makes requests numbered from zero, and returns the count of each answer.
    static func answers<Answer: Hashable & Sendable>(
        _ count: Int, atOnce: Int, _ request: @escaping @Sendable (Int) async throws -> Answer,
    ) async throws -> [Answer: Int] {
        let turn = Turn(count)
        return try await withThrowingTaskGroup(of: [Answer: Int].self) { group in
            for _ in 0..<atOnce {
                group.addTask {
                    var answers: [Answer: Int] = [:]
                    while let number = turn.next() { answers[try await request(number), default: 0] += 1 }
                    return answers
                }
            }
            return try await group.reduce(into: [:]) { all, some in all.merge(some, uniquingKeysWith: +) }
        }
    }

    /// Hands out each number once.
    private final class Turn: Sendable {
        private let count: Int
        private let started = Mutex(0)

        init(_ count: Int) {
            self.count = count
        }

        func next() -> Int? {
            started.withLock { started in
                guard started < count else { return nil }
                defer { started += 1 }
                return started
            }
        }
    }
}
