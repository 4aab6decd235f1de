import NetworkNames
import Synchronization

/// The key IDs that each client's tokens named in the last minute and that nobody could be asked about, and how often.
///
/// So many are answered with 503, each a few times, and the others with 401: a client chooses the key IDs of its
/// tokens, and could otherwise have a balancer take the gateway for broken. Clients beyond ``clientLimit`` are answered
/// with 401, too.
final class UnaskedKeyIDs: Sendable {
    /// Different key IDs of one client within any minute.
    static let limit = 10
    /// Answers to one client within a minute that begins with the first of them.
    ///
    /// Forty users behind one address reach it with three requests each. By the time that they were told to come back
    /// at, their key is found.
    static let answerLimit = 120
    static let clientLimit = 16_384
    private static let memory: Int64 = 60_000_000_000
    /// The least time between two searches for clients whose minute is over.
    private static let sweepInterval: Int64 = 1_000_000_000

    private struct Named {
        /// A hash of the key ID, by a secret of this process.
        let keyID: Int
        let since: Int64

        func isOver(at now: Int64) -> Bool { now - since >= UnaskedKeyIDs.memory }
    }

    private struct Client {
        var named: [Named] = []
        var answers = 0
        /// When the first of the answers was given.
        var since: Int64

        func isOver(at now: Int64) -> Bool { answersAreOver(at: now) && named.allSatisfy { $0.isOver(at: now) } }

        private func answersAreOver(at now: Int64) -> Bool { now - since >= UnaskedKeyIDs.memory }

        mutating func admit(_ keyID: Int, at now: Int64) -> Bool {
            if answersAreOver(at: now) { (answers, since) = (0, now) }
            guard answers < UnaskedKeyIDs.answerLimit else { return false }
            if !named.contains(where: { $0.keyID == keyID && !$0.isOver(at: now) }) {
                named.removeAll { $0.isOver(at: now) }
                guard named.count < UnaskedKeyIDs.limit else { return false }
                named.append(Named(keyID: keyID, since: now))
            }
            answers += 1
            return true
        }
    }

    private struct Clients {
        var known: [IPAddress?: Client] = [:]
        var sweptAt: Int64?

        mutating func hasRoom(for client: IPAddress?, at now: Int64) -> Bool {
            if known[client] != nil || known.count < UnaskedKeyIDs.clientLimit { return true }
            if let sweptAt, now - sweptAt < UnaskedKeyIDs.sweepInterval { return false }
            sweptAt = now
            known = known.filter { !$0.value.isOver(at: now) }
            return known.count < UnaskedKeyIDs.clientLimit
        }
    }

    private let clients = Mutex(Clients())

    /// Whether a client is told to come back with a token of that key ID; if so, that answer is counted.
    ///
    /// - Parameters:
    ///   - address: nil: it is not known; all of these are one client.
    ///   - now: monotonic, in nanoseconds.
    func admit(_ keyID: String, of address: IPAddress?, at now: Int64) -> Bool {
        let hash = Array(keyID.utf8).hashValue
        let client = address?.client
        return clients.withLock { clients in
            var known = clients.known[client] ?? Client(since: now)
            guard known.admit(hash, at: now), clients.hasRoom(for: client, at: now) else { return false }
            clients.known[client] = known
            return true
        }
    }

    /// The clients that are remembered, those whose minute is over included.
    var clientCount: Int { clients.withLock { $0.known.count } }
}
