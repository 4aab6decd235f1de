import Testing

@testable import NameLookup

struct SearchListTests {
    private static let list = SearchList(dots: 2, domains: ["shop.example", "example"])

    @Test func `a name with too few dots is looked up in the search domains first`() {
        #expect(Self.list.fullNames(of: "db") == ["db.shop.example", "db.example", "db"])
        #expect(Self.list.fullNames(of: "db.eu") == ["db.eu.shop.example", "db.eu.example", "db.eu"])
    }

    @Test func `a name with enough dots is looked up as it is first`() {
        #expect(
            Self.list.fullNames(of: "db.eu.west") == ["db.eu.west", "db.eu.west.shop.example", "db.eu.west.example"])
    }

    @Test func `a name that ends in a dot is not completed`() {
        #expect(Self.list.fullNames(of: "db.") == ["db."])
    }

    @Test func `the root as search domain completes nothing`() {
        #expect(SearchList(dots: 1, domains: ["."]).fullNames(of: "db") == ["db"])
    }
}
