import NetworkNames
import Synchronization

/// The key IDs that each client's tokens named in the last minute and that nobody could be asked about.
///
/// So many are answered with 503, and the others with 401: a client chooses the key IDs of its tokens, and could otherwise have a balancer
/// take the gateway for broken. Clients beyond ``clientLimit`` are answered with 401, too.
final class UnaskedKeyIDs: Sendable {
    /// Of one client within any minute.
    static let limit = 10
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

    private struct Clients {
        var named: [IPAddress?: [Named]] = [:]
        var sweptAt: Int64?

        mutating func hasRoom(for client: IPAddress?, at now: Int64) -> Bool {
            if named[client] != nil || named.count < UnaskedKeyIDs.clientLimit { return true }
            if let sweptAt, now - sweptAt < UnaskedKeyIDs.sweepInterval { return false }
            sweptAt = now
            named = named.filter { !$0.value.allSatisfy { $0.isOver(at: now) } }
            return named.count < UnaskedKeyIDs.clientLimit
        }
    }

    private let clients = Mutex(Clients())

    /// Whether a client may be told to come back with a token of that key ID; it may as often as it likes within the minute.
    ///
    /// - Parameters:
    ///   - address: nil: it is not known; all of these are one client.
    ///   - now: monotonic, in nanoseconds.
    func admit(_ keyID: String, of address: IPAddress?, at now: Int64) -> Bool {
        let hash = Array(keyID.utf8).hashValue
        let client = address?.client
        return clients.withLock { clients in
            var named = clients.named[client, default: []]
            if named.contains(where: { $0.keyID == hash && !$0.isOver(at: now) }) { return true }
            named.removeAll { $0.isOver(at: now) }
            guard named.count < Self.limit, clients.hasRoom(for: client, at: now) else { return false }
            named.append(Named(keyID: hash, since: now))
            clients.named[client] = named
            return true
        }
    }

    /// The clients that are remembered, those whose minute is over included.
    var clientCount: Int { clients.withLock { $0.named.count } }
}
