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

    @Test func `a client may name ten within any minute, and no other is held to them`() throws {
        for number in 0..<10 { #expect(try admits("k\(number)", at: Double(number))) }
        #expect(try !admits("k10", at: 9))
        for _ in 0..<50 { #expect(try admits("k3", at: 9)) }
        #expect(try admits("k10", of: "192.0.2.2", at: 9))
        // The first one's minute is over, and the others' are not.
        #expect(try !admits("k10", at: 59.9))
        #expect(try admits("k10", at: 60))
        #expect(try !admits("k11", at: 60.9))
        #expect(try admits("k11", at: 61))
        // A name whose minute is over counts anew.
        #expect(try !admits("k0", at: 61.5))
        #expect(try admits("k0", at: 62))
    }

    @Test(arguments: [1, 10])
    func `T504 of one client 120 a minute are told to come back, however few key IDs they name`(_ count: Int) throws {
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

    @Test func `the answers of a client are remembered for as long as they count`() throws {
        let all = UnaskedKeyIDs()
        let first = IPAddress("192.0.2.1")
        #expect(all.admit("k", of: first, at: 0))
        #expect(all.admit("l", of: first, at: 59 * Self.second))
        // Begins another minute of answers, with a name that is remembered until shortly before its end.
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

    @Test func `an IPv6 client is its network, and those without an address are one`() throws {
        for number in 0..<10 { #expect(try admits("k\(number)", of: "2001:db8:0:1::\(number)")) }
        #expect(try !admits("k10", of: "2001:db8:0:1:ffff::1"))
        #expect(try admits("k10", of: "2001:db8:0:2::1"))
        for number in 0..<10 { #expect(try admits("k\(number)", of: nil)) }
        #expect(try !admits("k10", of: nil))
    }

    @Test func `names are compared by their bytes`() throws {
        for name in ["a", "A", "a ", " a", "e\u{301}", "\u{e9}", "b", "c", "d", "e"] { #expect(try admits(name)) }
        #expect(try !admits("f"))
    }

    @Test func `so many clients are remembered and no more, until their minute is over`() throws {
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
