import NetworkNames
import Synchronization

/// Recent key IDs of each client's tokens that are in no key set, while the issuer cannot be asked for new keys.
///
/// A limited number of key IDs is answered with 503, each a few times, and the others with 401. A client chooses the
/// key IDs of its tokens, and its 503s could otherwise make a load balancer consider the gateway broken. Clients beyond
/// ``clientLimit`` are answered with 401, too.
final class UnaskedKeyIDs: Sendable {
    /// Largest number of different key IDs of one client within any minute.
    static let limit = 10
    /// Largest number of 503 answers to one client within a minute, which begins with the first of them.
    ///
    /// Forty users behind one address reach it with three requests each. By the time stated in `Retry-After`, their key
    /// has been fetched.
    static let answerLimit = 120
    static let clientLimit = 16_384
    private static let memory: Int64 = 60_000_000_000
    /// Least time between two sweeps for clients whose minute is over.
    private static let sweepInterval: Int64 = 1_000_000_000

    private struct Named {
        /// Hash of the key ID, seeded with a secret of this process.
        let keyID: Int
        let since: Int64

        func isOver(at now: Int64) -> Bool { now - since >= UnaskedKeyIDs.memory }
    }

    private struct Client {
        var named: [Named] = []
        var answers = 0
        /// Time of the first of the answers.
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

    /// True if the client gets 503 for a token with this key ID, and counts the answer. False if it gets 401.
    ///
    /// - Parameters:
    ///   - address: The client. Nil if unknown; all unknown clients count as one.
    ///   - now: Monotonic, in nanoseconds.
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

    /// Number of clients with an entry, including those whose minute is over.
    var clientCount: Int { clients.withLock { $0.known.count } }
}
