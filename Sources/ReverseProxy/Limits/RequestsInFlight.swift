import MetricFamilies
import NetworkNames
import ProxySettings
import Synchronization

/// The requests that are with an upstream: how many in all, and how many of each client's address.
///
/// A connection keeps the share of its peer, so that a request costs two additions. Only where a proxy states the
/// client is the share looked up for each request.
final class RequestsInFlight: Sendable {
    private struct Entry {
        let share: ClientShare
        /// The connections and requests that keep it.
        var holders: Int
    }

    private let total = Atomic<Int>(0)
    private let entries = Mutex<[IPAddress: Entry]>([:])

    var count: Int { total.load(ordering: .relaxed) }

    var family: MetricFamily {
        .gauge("bearward_requests_in_flight", "Requests that are being forwarded to an upstream.", count)
    }

    /// The clients that are counted at present.
    var clientCount: Int { entries.withLock { $0.count } }

    /// Counts one more, of this share if the client has one.
    ///
    /// - Parameters:
    ///   - most: how many there may be of all clients.
    ///   - each: the part of them that one client may have.
    /// - Returns: the limit that it hits, and nothing is counted. Nil if it is below all.
    func enter(_ share: ClientShare?, most: Int, each: AddressShare) -> GatewayLimit? {
        let taken = total.wrappingAdd(1, ordering: .relaxed).oldValue
        guard taken < most else {
            total.wrappingSubtract(1, ordering: .relaxed)
            return .inFlight
        }
        guard let share else { return nil }
        let held = share.count.wrappingAdd(1, ordering: .relaxed).oldValue
        guard each.permitsAnother(besides: held, free: most &- taken) else {
            leave(share)
            return .inFlightPerAddress
        }
        return nil
    }

    func leave(_ share: ClientShare?) {
        total.wrappingSubtract(1, ordering: .relaxed)
        share?.count.wrappingSubtract(1, ordering: .relaxed)
    }

    // MARK: Shares

    /// The share of a client, which the caller keeps until it lets go of it.
    func share(of address: IPAddress) -> ClientShare {
        let client = address.client
        return entries.withLock { entries in
            let share = entries[client]?.share ?? ClientShare(client: client)
            entries[client, default: Entry(share: share, holders: 0)].holders += 1
            return share
        }
    }

    func letGo(of slot: InFlightSlot) {
        if slot.isOfRequest, let share = slot.share { letGo(of: share) }
    }

    func letGo(of share: ClientShare) {
        entries.withLock { entries in
            guard let holders = entries[share.client]?.holders else { return }
            if holders > 1 { entries[share.client]?.holders = holders - 1 } else { entries[share.client] = nil }
        }
    }
}

/// How many requests of one client are in flight, over all of its connections and all event loops.
final class ClientShare: Sendable {
    fileprivate let client: IPAddress
    fileprivate let count = Atomic<Int>(0)

    fileprivate init(client: IPAddress) {
        self.client = client
    }
}

/// The slot of one request among those in flight.
struct InFlightSlot {
    /// Nil if no limit by address applies to the client.
    let share: ClientShare?
    /// True if the share is kept for this request alone, and not by its connection.
    let isOfRequest: Bool
}
