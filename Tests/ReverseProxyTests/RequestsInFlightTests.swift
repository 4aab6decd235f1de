import NetworkNames
import ProxySettings
import Testing

@testable import ReverseProxy

/// Sharing of the requests in flight among clients.
struct RequestsInFlightTests {
    private let all = RequestsInFlight()

    private func share(_ address: String) throws -> ClientShare { all.share(of: try #require(IPAddress(address))) }

    /// Takes requests until one is refused. Returns their number and the limit that refused.
    private func takeAll(_ share: ClientShare?, _ limits: ProxyLimits) -> (count: Int, limit: GatewayLimit?) {
        for count in 0...limits.inFlight {
            if let limit = all.enter(share, most: limits.inFlight, each: limits.inFlightPerAddress) {
                return (count, limit)
            }
        }
        return (limits.inFlight + 1, nil)
    }

    @Test(arguments: [(1, [1, 0]), (2, [1, 1]), (3, [2, 1]), (8, [4, 2, 1, 1]), (100, [50, 25, 13, 6, 3, 2, 1])])
    func `a client can take half of the free requests, and the next client half of the rest (T408)`(
        _ limit: Int, _ expected: [Int]
    )
        throws
    {
        let limits = ProxyLimits(inFlight: limit)
        for (index, count) in expected.enumerated() {
            let taken = takeAll(try share("192.0.2.\(index)"), limits)
            #expect(taken.count == count)
            #expect(taken.limit == (all.count == limit ? .inFlight : .inFlightPerAddress))
        }
        #expect(all.count == limit)
    }

    @Test func `requests that end can be taken again by any client`() throws {
        let limits = ProxyLimits(inFlight: 4)
        let (first, second) = (try share("192.0.2.1"), try share("192.0.2.2"))
        #expect(takeAll(first, limits).count == 2)
        all.leave(first)
        #expect(takeAll(second, limits).count == 2)
        #expect(all.enter(first, most: limits.inFlight, each: limits.inFlightPerAddress) == .inFlightPerAddress)
        for _ in 0..<2 { all.leave(second) }
        #expect(all.enter(first, most: limits.inFlight, each: limits.inFlightPerAddress) == nil)
        for _ in 0..<2 { all.leave(first) }
        #expect(all.count == 0)
    }

    @Test func `a configured number bounds each client, and off bounds none`() throws {
        var limits = ProxyLimits(inFlight: 5, inFlightPerAddress: .atMost(2))
        let (first, second) = (try share("192.0.2.1"), try share("192.0.2.2"))
        #expect(takeAll(first, limits).count == 2)
        #expect(takeAll(second, limits).count == 2)
        limits.inFlightPerAddress = .unbounded
        let taken = takeAll(first, limits)
        #expect(taken.count == 1 && taken.limit == .inFlight)
        #expect(all.count == 5)
    }

    @Test func `requests without a client are bounded only by the total`() {
        let taken = takeAll(nil, ProxyLimits(inFlight: 3))
        #expect(taken.count == 3 && taken.limit == .inFlight)
    }

    @Test func `all connections of one client have one share, which is removed with the last of them`() throws {
        let limits = ProxyLimits(inFlight: 4, inFlightPerAddress: .atMost(1))
        // One IPv6 customer has a network of 64 bits.
        let (first, second) = (try share("2001:db8:0:1::1"), try share("2001:db8:0:1:ffff::2"))
        let other = try share("2001:db8:0:2::1")
        #expect(first === second && first !== other)
        #expect(all.clientCount == 2)
        #expect(all.enter(first, most: limits.inFlight, each: limits.inFlightPerAddress) == nil)
        #expect(all.enter(second, most: limits.inFlight, each: limits.inFlightPerAddress) == .inFlightPerAddress)
        all.letGo(of: first)
        #expect(all.clientCount == 2)
        all.leave(second)
        all.letGo(of: second)
        #expect(all.clientCount == 1)
        all.letGo(of: other)
        all.letGo(of: other)
        #expect(all.clientCount == 0)
    }

    @Test func `a connection releases its peer's share when it closes`() throws {
        var hop: DownstreamHop? = DownstreamHop(ClientAddress(peer: "192.0.2.1"))
        let share = try #require(hop?.share(of: all))
        #expect(hop?.share(of: all) === share)
        #expect(all.clientCount == 1)
        hop = nil
        #expect(all.clientCount == 0)
        #expect(DownstreamHop(ClientAddress(peer: nil)).share(of: all) == nil)
    }
}
