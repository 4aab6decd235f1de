import NetworkNames
import Testing

@testable import ReverseProxy

struct UnaskedKeyIDsTests {
    private let all = UnaskedKeyIDs()
    private static let second: Int64 = 1_000_000_000

    private func admits(_ keyID: String, of address: String? = "192.0.2.1", at second: Double = 0) throws -> Bool {
        let address = try address.map { try #require(IPAddress($0)) }
        return all.admit(keyID, of: address, at: Int64(second * 1_000_000_000))
    }

    @Test func `a client may name ten unasked key IDs within any minute, independently of other clients`() throws {
        for number in 0..<10 { #expect(try admits("k\(number)", at: Double(number))) }
        #expect(try !admits("k10", at: 9))
        for _ in 0..<50 { #expect(try admits("k3", at: 9)) }
        #expect(try admits("k10", of: "192.0.2.2", at: 9))
        // The minute of the first key ID is over, and those of the others are not.
        #expect(try !admits("k10", at: 59.9))
        #expect(try admits("k10", at: 60))
        #expect(try !admits("k11", at: 60.9))
        #expect(try admits("k11", at: 61))
        // A key ID whose minute is over counts again.
        #expect(try !admits("k0", at: 61.5))
        #expect(try admits("k0", at: 62))
    }

    @Test(arguments: [1, 10])
    func `T504 at most 120 requests of a client per minute get 503, however few key IDs they name`(_ count: Int) throws
    {
        for number in 0..<UnaskedKeyIDs.answerLimit {
            #expect(try admits("k\(number % count)", at: Double(number) / 10))
        }
        #expect(try !admits("k0", at: 12))
        #expect(try !admits("k0", at: 59.9))
        #expect(try admits("k0", of: "192.0.2.2", at: 59.9))
        for _ in 0..<UnaskedKeyIDs.answerLimit { #expect(try admits("k0", at: 60)) }
        #expect(try !admits("k0", at: 119.9))
        #expect(try admits("k0", at: 120))
    }

    @Test func `the count of a client's answers is kept for its whole minute`() throws {
        let all = UnaskedKeyIDs()
        let first = IPAddress("192.0.2.1")
        #expect(all.admit("k", of: first, at: 0))
        #expect(all.admit("l", of: first, at: 59 * Self.second))
        // Starts another minute of the answers, with a key ID that is kept until shortly before its end.
        #expect(all.admit("l", of: first, at: 60 * Self.second))
        for number in 1..<UnaskedKeyIDs.clientLimit {
            #expect(all.admit("k", of: IPAddress("2001:db8:\(String(number, radix: 16))::1"), at: 60 * Self.second))
        }
        #expect(all.clientCount == UnaskedKeyIDs.clientLimit)
        #expect(!all.admit("k", of: IPAddress("2001:db9::1"), at: 119 * Self.second))
        #expect(all.clientCount == UnaskedKeyIDs.clientLimit)
        #expect(all.admit("k", of: IPAddress("2001:db9::1"), at: 120 * Self.second))
        #expect(all.clientCount == 1)
    }

    @Test func `an IPv6 client is its /64 network, and clients without an address are one client`() throws {
        for number in 0..<10 { #expect(try admits("k\(number)", of: "2001:db8:0:1::\(number)")) }
        #expect(try !admits("k10", of: "2001:db8:0:1:ffff::1"))
        #expect(try admits("k10", of: "2001:db8:0:2::1"))
        for number in 0..<10 { #expect(try admits("k\(number)", of: nil)) }
        #expect(try !admits("k10", of: nil))
    }

    @Test func `key IDs are compared by their bytes`() throws {
        for name in ["a", "A", "a ", " a", "e\u{301}", "\u{e9}", "b", "c", "d", "e"] { #expect(try admits(name)) }
        #expect(try !admits("f"))
    }

    @Test func `the number of counted clients is bounded until their minute ends`() throws {
        let all = UnaskedKeyIDs()
        func admits(_ number: Int, at now: Int64) throws -> Bool {
            let (high, low) = (String(number >> 16, radix: 16), String(number & 0xFFFF, radix: 16))
            let client = "2001:db8:\(high):\(low)::1"
            return all.admit("k", of: IPAddress(client), at: now)
        }
        for number in 0..<UnaskedKeyIDs.clientLimit { #expect(try admits(number, at: 0)) }
        #expect(try !admits(UnaskedKeyIDs.clientLimit, at: Self.second))
        #expect(try admits(7, at: Self.second))
        #expect(all.clientCount == UnaskedKeyIDs.clientLimit)
        #expect(try admits(UnaskedKeyIDs.clientLimit, at: 60 * Self.second))
        #expect(all.clientCount == 1)
    }
}
