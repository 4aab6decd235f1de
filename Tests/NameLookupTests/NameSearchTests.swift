import NetworkNames
import Testing

@testable import NameLookup

/// Order of queries and the result of a lookup, without a name server.
struct NameSearchTests {
    private static let ipv4 = [IPAddress(ipv4: 0xC000_0201)]
    private static let ipv6 = [IPAddress(high: 0x2001_0DB8_0000_0000, low: 1)]

    private static func search(_ names: String...) -> NameSearch {
        var search = NameSearch(names)
        #expect(search.begin() == .ask(names[0]))
        return search
    }

    private static func found(_ addresses: [IPAddress], _ seconds: Int, unanswered: AddressFamily? = nil)
        -> NameSearch.Action
    {
        .end(.addresses(FoundAddresses(addresses, lifetime: .seconds(seconds), unanswered: unanswered)))
    }

    @Test func `a lookup waits for both address families, and has the shorter time to live`() {
        var search = Self.search("a.example")
        #expect(search.answered(.ipv4, .addresses(Self.ipv4, seconds: 9)) == .wait)
        #expect(search.answered(.ipv6, .addresses(Self.ipv6, seconds: 5)) == Self.found(Self.ipv6 + Self.ipv4, 5))
    }

    @Test func `a name with one address family has the addresses of that family`() {
        var search = Self.search("a.example")
        #expect(search.answered(.ipv6, .none) == .wait)
        #expect(search.answered(.ipv4, .addresses(Self.ipv4, seconds: 9)) == Self.found(Self.ipv4, 9))
    }

    @Test func `the next full name is looked up if the previous one has no address of either family`() {
        var search = Self.search("a.one.example", "a.example")
        #expect(search.answered(.ipv4, .none) == .wait)
        #expect(search.answered(.ipv6, .none) == .ask("a.example"))
        #expect(search.answered(.ipv6, .none) == .wait)
        #expect(search.answered(.ipv4, .none) == .end(.notFound))
    }

    @Test(arguments: [[AddressFamily.ipv4, .ipv6], [.ipv6, .ipv4]])
    func `a failure of either family ends the search without looking up another name`(
        _ order: [AddressFamily]
    ) {
        var search = Self.search("a.one.example", "a.example")
        #expect(search.answered(order[0], .failed("silence")) == .wait)
        #expect(search.answered(order[1], .none) == .end(.failed("silence")))
        search = Self.search("a.one.example", "a.example")
        #expect(search.answered(order[0], .none) == .wait)
        #expect(search.answered(order[1], .failed("silence")) == .end(.failed("silence")))
    }

    @Test func `a family whose lookup failed is distinguished from one without addresses`() {
        var search = Self.search("a.example")
        _ = search.answered(.ipv4, .addresses(Self.ipv4, seconds: 9))
        #expect(search.answered(.ipv6, .failed("silence")) == Self.found(Self.ipv4, 9, unanswered: .ipv6))
        search = Self.search("a.example")
        _ = search.answered(.ipv6, .addresses(Self.ipv6, seconds: 9))
        #expect(search.answered(.ipv4, .failed("silence")) == Self.found(Self.ipv6, 9, unanswered: .ipv4))
    }

    @Test func `addresses of one family need not wait for a late family, and nothing else ends the search early`() {
        var search = Self.search("a.one.example", "a.example")
        #expect(!search.hasHalf)
        #expect(search.otherIsLate() == .wait)
        #expect(search.answered(.ipv6, .none) == .wait)
        // The next full name would be another host.
        #expect(!search.hasHalf)
        #expect(search.otherIsLate() == .wait)
        #expect(search.answered(.ipv4, .none) == .ask("a.example"))
        #expect(search.answered(.ipv4, .addresses(Self.ipv4, seconds: 9)) == .wait)
        #expect(search.hasHalf)
        #expect(search.otherIsLate() == Self.found(Self.ipv4, 9, unanswered: .ipv6))
    }

    @Test func `of too many addresses the same ones are kept, whatever their order, from both families`() throws {
        let many = (0..<500).map { IPAddress(ipv4: 0x0A00_0000 + $0) }
        let sixes = (0..<500).map { IPAddress(high: 0x2001_0DB8_0000_0000, low: $0) }
        var search = Self.search("a.example")
        _ = search.answered(.ipv4, .addresses(many.reversed(), seconds: 1))
        #expect(search.answered(.ipv6, .none) == Self.found(Array(many.prefix(64)), 1))
        search = Self.search("a.example")
        _ = search.answered(.ipv4, .addresses(many.shuffled(), seconds: 1))
        #expect(
            search.answered(.ipv6, .addresses(sixes.shuffled(), seconds: 1))
                == Self.found(Array(sixes.prefix(32)) + many.prefix(32), 1))
        search = Self.search("a.example")
        _ = search.answered(.ipv4, .addresses(Array(many.prefix(65)), seconds: 1))
        #expect(
            search.answered(.ipv6, .addresses(Array(sixes.prefix(2)), seconds: 1))
                == Self.found(Array(sixes.prefix(2)) + many.prefix(62), 1))
        // Addresses up to the limit keep their order.
        search = Self.search("a.example")
        _ = search.answered(.ipv4, .addresses(many.prefix(64).reversed(), seconds: 1))
        #expect(search.answered(.ipv6, .none) == Self.found(many.prefix(64).reversed(), 1))
    }

    @Test func `a negative time to live counts as zero`() {
        var search = Self.search("a.example")
        _ = search.answered(.ipv4, .addresses(Self.ipv4, seconds: -1))
        #expect(search.answered(.ipv6, .none) == Self.found(Self.ipv4, 0))
    }
}
