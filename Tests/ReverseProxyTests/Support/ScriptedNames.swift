import Foundation
import NIOCore
import Synchronization
import Testing

/// A resolver whose answers a test gives, and which blocks lookups for as long as the test wants.
final class ScriptedNames: Sendable {
    private struct State {
        var answers: [String: [SocketAddress]] = [:]
        var held: Set<String> = []
        var lookups: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let changed = NSCondition()

    /// - Parameter addresses: none: the name cannot be resolved.
    func answer(_ name: String, _ addresses: String...) {
        let addresses = addresses.compactMap { try? SocketAddress(ipAddress: $0, port: 0) }
        state.withLock { $0.answers[name] = addresses }
    }

    /// Lookups of the name do not end until it is released.
    func hold(_ name: String) {
        state.withLock { _ = $0.held.insert(name) }
    }

    func release(_ name: String) {
        changed.withLock {
            state.withLock { _ = $0.held.remove(name) }
            changed.broadcast()
        }
    }

    /// How many lookups of the name began.
    func lookups(of name: String) -> Int { state.withLock { $0.lookups[name, default: 0] } }

    /// Blocks, as the system's does.
    func lookUp(_ name: String) -> [SocketAddress] {
        state.withLock { $0.lookups[name, default: 0] += 1 }
        changed.lock()
        while state.withLock({ $0.held.contains(name) }) { changed.wait() }
        changed.unlock()
        return state.withLock { $0.answers[name] ?? [] }
    }
}
