import Synchronization

@testable import ReverseProxy

/// Memory whose used share the test sets.
final class ScriptedMemory: Sendable {
    private let percent = Atomic<Int>(0)

    func use(percent: Int) { self.percent.store(percent, ordering: .relaxed) }

    func watch() -> MemoryWatch {
        MemoryWatch(
            uses: { [MemoryUse(used: self.percent.load(ordering: .relaxed) << 24, bound: 100 << 24)] }, giveBack: {})
    }
}
