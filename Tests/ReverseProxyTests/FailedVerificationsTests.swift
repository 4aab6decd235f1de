import NetworkNames
import Testing

@testable import ReverseProxy

struct FailedVerificationsTests {
    private let all = FailedVerifications()

    private func add(_ address: String, at now: Int64) throws {
        all.add(try #require(IPAddress(address)), limit: 2, at: now)
    }

    private func isExhausted(_ address: String, at now: Int64) throws -> Bool {
        all.isExhausted(try #require(IPAddress(address)), limit: 2, at: now)
    }

    @Test func `a client at its limit is refused for the rest of the second, and other clients are not (T400)`() throws
    {
        try add("192.0.2.1", at: 5_000_000_000)
        #expect(!all.isAnyExhausted(at: 5_100_000_000))
        #expect(try !isExhausted("192.0.2.1", at: 5_100_000_000))
        try add("192.0.2.1", at: 5_200_000_000)
        #expect(all.isAnyExhausted(at: 5_200_000_000))
        #expect(try isExhausted("192.0.2.1", at: 5_999_999_999))
        #expect(try !isExhausted("192.0.2.2", at: 5_500_000_000))
        #expect(!all.isAnyExhausted(at: 6_000_000_000))
        #expect(try !isExhausted("192.0.2.1", at: 6_000_000_000))
        try add("192.0.2.1", at: 6_000_000_000)
        #expect(try !isExhausted("192.0.2.1", at: 6_000_000_000))
    }

    @Test func `a request with several failed verifications counts each of them`() throws {
        let address = try #require(IPAddress("192.0.2.1"))
        all.add(address, 3, limit: 5, at: 5_000_000_000)
        #expect(!all.isExhausted(address, limit: 4, at: 5_000_000_000) && !all.isAnyExhausted(at: 5_000_000_000))
        all.add(address, 2, limit: 5, at: 5_000_000_000)
        #expect(all.isAnyExhausted(at: 5_000_000_000) && all.isExhausted(address, limit: 5, at: 5_000_000_000))
        #expect(!all.isExhausted(address, limit: 6, at: 5_000_000_000))
    }

    @Test func `a failure reported with an earlier second does not reset the counts`() throws {
        for _ in 0..<2 { try add("192.0.2.1", at: 6_000_000_000) }
        try add("192.0.2.2", at: 5_999_000_000)
        #expect(try isExhausted("192.0.2.1", at: 6_000_000_001))
        #expect(try isExhausted("192.0.2.1", at: 5_999_999_999))
    }

    @Test func `addresses of one IPv6 network count together, and IPv4 in IPv6 form counts per IPv4 address`() throws {
        for number in 1...2 { try add("2001:db8:0:1::\(number)", at: 0) }
        #expect(try isExhausted("2001:db8:0:1:ffff::", at: 0))
        #expect(try !isExhausted("2001:db8:0:2::1", at: 0))
        for _ in 0..<2 { try add("::ffff:192.0.2.1", at: 0) }
        #expect(try isExhausted("192.0.2.1", at: 0))
        #expect(try !isExhausted("192.0.2.2", at: 0))
        for _ in 0..<2 { try add("64:ff9b::192.0.2.7", at: 0) }
        #expect(try !isExhausted("64:ff9b::192.0.2.8", at: 0))
    }

    @Test func `the number of counted clients is bounded, and the next second starts at zero`() throws {
        let all = FailedVerifications()
        func add(_ number: Int, at now: Int64) throws {
            let (high, low) = (String(number >> 16, radix: 16), String(number & 0xFFFF, radix: 16))
            all.add(try #require(IPAddress("2001:db8:\(high):\(low)::1")), limit: 1, at: now)
        }
        for number in 0..<(FailedVerifications.clientLimit + 10) { try add(number, at: 7_000_000_000) }
        #expect(all.clientCount == FailedVerifications.clientLimit)
        // Clients that are already counted still are; clients beyond the bound have no limit.
        #expect(all.isExhausted(try #require(IPAddress("2001:db8:0:0::9")), limit: 1, at: 7_000_000_000))
        #expect(!all.isExhausted(try #require(IPAddress("2001:db8:1:1::9")), limit: 1, at: 7_000_000_000))
        try add(0x1_0001, at: 8_000_000_000)
        #expect(all.clientCount == 1)
        #expect(all.isExhausted(try #require(IPAddress("2001:db8:1:1::9")), limit: 1, at: 8_000_000_000))
    }
}
