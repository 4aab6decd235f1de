import NetworkNames
import Testing

@testable import NameLookup

/// Next question and end of a lookup, without a name server.
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

    @Test func `both families are waited for, and the shorter time to live counts`() {
        var search = Self.search("a.example")
        #expect(search.answered(.ipv4, .addresses(Self.ipv4, seconds: 9)) == .wait)
        #expect(search.answered(.ipv6, .addresses(Self.ipv6, seconds: 5)) == Self.found(Self.ipv6 + Self.ipv4, 5))
    }

    @Test func `a name with one family has that one`() {
        var search = Self.search("a.example")
        #expect(search.answered(.ipv6, .none) == .wait)
        #expect(search.answered(.ipv4, .addresses(Self.ipv4, seconds: 9)) == Self.found(Self.ipv4, 9))
    }

    @Test func `the next full name is asked for when the one before has no address of either family`() {
        var search = Self.search("a.one.example", "a.example")
        #expect(search.answered(.ipv4, .none) == .wait)
        #expect(search.answered(.ipv6, .none) == .ask("a.example"))
        #expect(search.answered(.ipv6, .none) == .wait)
        #expect(search.answered(.ipv4, .none) == .end(.notFound))
    }

    @Test(arguments: [[AddressFamily.ipv4, .ipv6], [.ipv6, .ipv4]])
    func `a failure is no answer about the name, whichever family answers first, and no other name is asked for`(
        _ order: [AddressFamily]
    ) {
        var search = Self.search("a.one.example", "a.example")
        #expect(search.answered(order[0], .failed("silence")) == .wait)
        #expect(search.answered(order[1], .none) == .end(.failed("silence")))
        search = Self.search("a.one.example", "a.example")
        #expect(search.answered(order[0], .none) == .wait)
        #expect(search.answered(order[1], .failed("silence")) == .end(.failed("silence")))
    }

    @Test func `a family whose lookup failed is told apart from one that a name does not have`() {
        var search = Self.search("a.example")
        _ = search.answered(.ipv4, .addresses(Self.ipv4, seconds: 9))
        #expect(search.answered(.ipv6, .failed("silence")) == Self.found(Self.ipv4, 9, unanswered: .ipv6))
        search = Self.search("a.example")
        _ = search.answered(.ipv6, .addresses(Self.ipv6, seconds: 9))
        #expect(search.answered(.ipv4, .failed("silence")) == Self.found(Self.ipv6, 9, unanswered: .ipv4))
    }

    @Test func `addresses of one family do not wait for a family that is late, and nothing else ends early`() {
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

    @Test func `of too many addresses the same ones are kept, whatever their order, and of both families`() throws {
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
        // As many as are kept stay in their order.
        search = Self.search("a.example")
        _ = search.answered(.ipv4, .addresses(many.prefix(64).reversed(), seconds: 1))
        #expect(search.answered(.ipv6, .none) == Self.found(many.prefix(64).reversed(), 1))
    }

    @Test func `a time to live below zero is none`() {
        var search = Self.search("a.example")
        _ = search.answered(.ipv4, .addresses(Self.ipv4, seconds: -1))
        #expect(search.answered(.ipv6, .none) == Self.found(Self.ipv4, 0))
    }
}
