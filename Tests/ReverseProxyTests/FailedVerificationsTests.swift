import Testing

@testable import ReverseProxy

struct FailedVerificationsTests {
    private let all = FailedVerifications()

    private func add(_ address: String, at now: Int64) throws {
        all.add(try #require(IPAddress(address)), at: now)
    }

    private func isExhausted(_ address: String, at now: Int64) throws -> Bool {
        all.isExhausted(try #require(IPAddress(address)), limit: 2, at: now)
    }

    @Test func `a client is stopped at its limit, for the rest of the second, and nobody else is (T400)`() throws {
        #expect(!all.areThereAny(at: 5_000_000_000))
        try add("192.0.2.1", at: 5_000_000_000)
        #expect(all.areThereAny(at: 5_100_000_000))
        #expect(try !isExhausted("192.0.2.1", at: 5_100_000_000))
        try add("192.0.2.1", at: 5_200_000_000)
        #expect(try isExhausted("192.0.2.1", at: 5_999_999_999))
        #expect(try !isExhausted("192.0.2.2", at: 5_500_000_000))
        #expect(!all.areThereAny(at: 6_000_000_000))
        #expect(try !isExhausted("192.0.2.1", at: 6_000_000_000))
        try add("192.0.2.1", at: 6_000_000_000)
        #expect(try !isExhausted("192.0.2.1", at: 6_000_000_000))
    }

    @Test func `a failure that comes late takes nothing away`() throws {
        for _ in 0..<2 { try add("192.0.2.1", at: 6_000_000_000) }
        try add("192.0.2.2", at: 5_999_000_000)
        #expect(try isExhausted("192.0.2.1", at: 6_000_000_001))
        #expect(try isExhausted("192.0.2.1", at: 5_999_999_999))
    }

    @Test func `an IPv6 client has a network of addresses, which count together, and a translated one its own`() throws {
        for number in 1...2 { try add("2001:db8:0:1::\(number)", at: 0) }
        #expect(try isExhausted("2001:db8:0:1:ffff::", at: 0))
        #expect(try !isExhausted("2001:db8:0:2::1", at: 0))
        for _ in 0..<2 { try add("::ffff:192.0.2.1", at: 0) }
        #expect(try isExhausted("192.0.2.1", at: 0))
        #expect(try !isExhausted("192.0.2.2", at: 0))
        for _ in 0..<2 { try add("64:ff9b::192.0.2.7", at: 0) }
        #expect(try !isExhausted("64:ff9b::192.0.2.8", at: 0))
    }
}
