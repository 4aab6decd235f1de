import NameLookup
import NetworkNames
import Synchronization

/// Name servers with scripted answers, which can be silenced by the test.
final class ScriptedNames: Sendable {
    private struct State {
        var answers: [String: NameAnswer] = [:]
        var held: [String: [@Sendable (NameAnswer) -> Void]] = [:]
        var lookups: [String: Int] = [:]
    }

    private let state = Mutex(State())

    func answer(_ name: String, _ addresses: String..., lifetime: Duration = .seconds(10)) {
        let found = FoundAddresses(addresses.compactMap { IPAddress($0) }, lifetime: lifetime)
        state.withLock { $0.answers[name] = .addresses(found) }
    }

    func fail(_ name: String) {
        state.withLock { $0.answers[name] = .failed("silence") }
    }

    /// Keeps lookups of the name pending until it is released.
    func hold(_ name: String) {
        state.withLock { $0.held[name] = [] }
    }

    func release(_ name: String) {
        let (answer, completions) = state.withLock {
            ($0.answers[name] ?? .notFound, $0.held.removeValue(forKey: name) ?? [])
        }
        for completion in completions { completion(answer) }
    }

    /// Number of lookups of the name that were started.
    func lookups(of name: String) -> Int { state.withLock { $0.lookups[name, default: 0] } }

    /// Looks a name up. A name without a scripted answer does not exist.
    func lookUp(_ name: String, _ completion: @escaping @Sendable (NameAnswer) -> Void) {
        let answer: NameAnswer? = state.withLock { state in
            state.lookups[name, default: 0] += 1
            guard state.held[name] == nil else {
                state.held[name]?.append(completion)
                return nil
            }
            return state.answers[name] ?? .notFound
        }
        if let answer { completion(answer) }
    }
}
