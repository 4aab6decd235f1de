import Testing
import TokenVerification

@testable import AccessControl

struct PlaceTableTests {
    private static func table(_ places: String...) throws -> PlaceTable {
        try PlaceTable(places.map { try PlacePattern(at: $0) })
    }

    @Test func `an exact host is preferred to a wildcard, and a wildcard to any host`() throws {
        let table = try Self.table("/api", "*.example.com/api", "a.example.com/api")
        #expect(try table.place(host: "a.example.com", "/api/x") == 2)
        #expect(try table.place(host: "b.example.com", "/api") == 1)
        #expect(try table.place(host: "other.com", "/api/") == 0)
        #expect(try table.place(host: nil, "/api") == 0)
        #expect(try table.place(host: "a.example.com", "/") == nil)
    }

    @Test func `the host is compared before the length of the path`() throws {
        let table = try Self.table("/api/long/path", "*.example.com/api/long", "a.example.com/api")
        #expect(try table.place(host: "a.example.com", "/api/long/path") == 2)
        #expect(try table.place(host: "b.example.com", "/api/long/path") == 1)
        #expect(try table.place(host: "c.com", "/api/long/path") == 0)
    }

    @Test func `a place whose path does not cover the request is skipped`() throws {
        let table = try Self.table("a.example.com/x", "*.example.com/y", "/z", "a.example.com:80/w")
        #expect(try table.place(host: "a.example.com", port: 80, "/x") == 0)
        #expect(try table.place(host: "a.example.com", port: 80, "/y") == 1)
        #expect(try table.place(host: "a.example.com", port: 80, "/z") == 2)
        #expect(try table.place(host: "a.example.com", port: 80, "/w") == 3)
        #expect(try table.place(host: "a.example.com", port: 81, "/w") == nil)
    }

    @Test func `a place with a port is preferred; without a port in the place, any port matches`() throws {
        let table = try Self.table("a.com/x/y", "a.com:8443/x", "b.com")
        #expect(try table.place(host: "a.com", port: 8443, "/x/y") == 1)
        #expect(try table.place(host: "a.com", port: 80, "/x/y") == 0)
        #expect(try table.place(host: "a.com", "/x/y") == 0)
        #expect(try table.place(host: "a.com", "/x") == nil)
        #expect(try table.place(host: "b.com", port: 12345, "/") == 2)
        // A number that is no port must not wrap round to one.
        #expect(try table.place(host: "a.com", port: 8443 + 65536, "/x") == nil)
        #expect(try table.place(host: "a.com", port: -57093, "/x") == nil)
        #expect(try table.place(host: "b.com", port: 65536, "/") == 2)
    }

    @Test func `the longest path wins, compared by whole segments`() throws {
        let table = try Self.table("/", "/orders", "/orders/admin/x")
        #expect(try table.find(host: "h", "/orders/admin/x/y") == PlaceMatch(placeIndex: 2, segments: 3))
        #expect(try table.find(host: "h", "/orders/admin") == PlaceMatch(placeIndex: 1, segments: 1))
        #expect(try table.find(host: "h", "/orders/") == PlaceMatch(placeIndex: 1, segments: 1))
        #expect(try table.find(host: "h", "/ordersX") == PlaceMatch(placeIndex: 0, segments: 0))
        #expect(try table.find(host: "h", "/") == PlaceMatch(placeIndex: 0, segments: 0))
        #expect(try table.find(host: "h", "/%6frders/%61dmin/x") == PlaceMatch(placeIndex: 2, segments: 3))
    }

    @Test func `a place covers its segments also if they have path parameters (T265)`() throws {
        let table = try Self.table("/", "/orders", "/orders/admin")
        #expect(try table.find(host: "h", "/orders;x=1/7") == PlaceMatch(placeIndex: 1, segments: 1))
        #expect(try table.find(host: "h", "/orders%3Bx/admin;/7") == PlaceMatch(placeIndex: 2, segments: 2))
        #expect(try table.find(host: "h", "/x;orders/admin") == PlaceMatch(placeIndex: 0, segments: 0))
    }

    @Test(
        arguments: [
            ("api.example", 0), ("API.Example", 0), ("api.example.", 0), ("api.example..", nil), ("xapi.example", nil),
            ("example", nil),
            ("[::1]", 1), ("[0:0:0:0:0:0:0:1]", 1), ("[::0001]", 1), ("::1", nil), ("[::2]", nil), ("[::1", nil),
            ("[", nil), ("[]", nil),
            ("127.0.0.1", 2),
            ("127.1", nil), ("[::ffff:127.0.0.1]", nil), ("a.wild.example", 3), ("A.Wild.Example.", 3),
            ("wild.example", nil),
            ("a.b.wild.example", nil), (".wild.example", nil), ("api.example\u{A0}", nil), ("", nil), (".", nil),
        ] as [(String, PlaceIndex?)]
    )
    func `hosts are compared in lower case and without a final dot, addresses by value`(
        host: String, place: PlaceIndex?
    )
        throws
    {
        // T280, T283
        let table = try Self.table("API.example.", "[0::1]", "127.0.0.1", "*.wild.example")
        #expect(try table.place(host: host, "/x") == place)
    }

    @Test func `a host that is no valid name matches only places for any host`() throws {
        let table = try Self.table("/", "a.com")
        #expect(try table.place(host: String(repeating: "a", count: 253), "/") == 0)
        #expect(try table.place(host: String(repeating: "a", count: 10_000), "/") == 0)
        #expect(try table.place(host: "[::1", "/") == 0)
    }

    @Test func `a host name does not match an address with the same bytes`() throws {
        let table = try Self.table("[6161:6161:6161:6161:6161:6161:6161:6161]")
        #expect(try table.place(host: "aaaaaaaaaaaaaaaa", "/") == nil)
        #expect(try table.place(host: "[6161:6161:6161:6161:6161:6161:6161:6161]", "/") == 0)
    }

    @Test(
        arguments: [
            (["/a", "/b", "/a/"], 0, 2), (["a.com", "A.com./"], 0, 1), (["[::1]/x", "[0:0::1]/x"], 0, 1),
            (["/%61", "/a"], 0, 1),
            (["*.a.com", "a.com", "*.A.com"], 0, 2), (["a.com:80", "a.com", "a.com:80"], 0, 2),
        ]
    )
    func `two equal places are a conflict`(places: [String], first: PlaceIndex, second: PlaceIndex) throws {
        // T277
        let places = try places.map { try PlacePattern(at: $0) }
        #expect(throws: PlaceConflict(first: first, second: second)) { try PlaceTable(places) }
    }

    @Test func `an empty place table matches nothing`() throws {
        #expect(try PlaceTable([]).place(host: "a.com", port: 80, "/") == nil)
    }
}
