import MetricFamilies
import NetworkNames
import ProxySettings
import Synchronization

/// Counts of requests at upstreams: in total, and for each client address.
///
/// A connection keeps the share of its peer, so that a request costs two additions. Only where a proxy states the
/// client is the share looked up for each request.
final class RequestsInFlight: Sendable {
    private struct Entry {
        let share: ClientShare
        /// Number of connections and requests that hold the share.
        var holders: Int
    }

    private let total = Atomic<Int>(0)
    private let entries = Mutex<[IPAddress: Entry]>([:])

    var count: Int { total.load(ordering: .relaxed) }

    var family: MetricFamily {
        .gauge("bearward_requests_in_flight", "Requests that are being forwarded to an upstream.", count)
    }

    /// Number of clients with a share.
    var clientCount: Int { entries.withLock { $0.count } }

    /// Counts a request, in the total and in the client's share.
    ///
    /// - Parameters:
    ///   - most: Limit for all clients.
    ///   - each: Part of that limit which one client may use.
    /// - Returns: The limit that was hit; nothing is counted then. Nil if the request was counted.
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

    /// Share of a client. The caller holds it until it calls `letGo`.
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

/// Number of requests of one client in flight, over all its connections and all event loops.
final class ClientShare: Sendable {
    fileprivate let client: IPAddress
    fileprivate let count = Atomic<Int>(0)

    fileprivate init(client: IPAddress) {
        self.client = client
    }
}

/// The slot of one request among those in flight.
struct InFlightSlot {
    /// Share of the client. Nil if no limit by address applies to it.
    let share: ClientShare?
    /// True if only this request holds the share; false if its connection does.
    let isOfRequest: Bool
}
