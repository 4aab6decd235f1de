import Testing

@testable import AccessControl

struct PlacePatternTests {
    @Test(
        arguments: [
            ("/", "/"), ("/orders", "/orders"), ("/orders/", "/orders"), ("api.example.com", "api.example.com"),
            ("API.Example.com./Orders", "api.example.com/Orders"),
            ("api.example.com:8443/a/b", "api.example.com:8443/a/b"),
            ("*.example.com/api", "*.example.com/api"), ("*.Example.com.:80", "*.example.com:80"),
            ("[::1]:9000/x", "[0:0:0:0:0:0:0:1]:9000/x"),
            ("[0:0::0001]", "[0:0:0:0:0:0:0:1]"), ("127.0.0.1:80", "127.0.0.1:80"), ("api", "api"),
            ("my_host-1", "my_host-1"),
            ("1a.2b", "1a.2b"),
            ("/caf\u{E9}/%40x", "/caf%C3%A9/@x"), ("/a@b", "/a@b"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ]
    )
    func `an at entry is read, and its description reads back as the same place`(text: String, description: String)
        throws
    {
        let place = try PlacePattern(at: text)
        #expect(place.description == description)
        #expect(try PlacePattern(at: description) == place)
    }

    @Test(
        arguments: [
            ("", .empty), ("https://api.example.com", .scheme), ("api.example.com/x?y", .query), ("/x?", .query),
            ("api.example.com#x", .fragment),
            ("user@api.example.com", .userinfo), ("user:secret@api.example.com/x", .userinfo), (":8080", .missingHost),
            (":80/x", .missingHost),
            ("*.", .invalidHost("")), ("a..b", .invalidHost("a..b")), ("a b", .invalidHost("a b")),
            (".a", .invalidHost(".a")),
            ("a..", .invalidHost("a..")), ("a%2fb", .invalidHost("a%2fb")),
            ("bücher.example", .nonASCIIHost("bücher.example")),
            ("api.example\u{A0}", .nonASCIIHost("api.example\u{A0}")), ("[::1", .invalidAddress("[::1")),
            ("[::g]", .invalidAddress("[::g]")),
            ("[fe80::1%25eth0]", .invalidAddress("[fe80::1%25eth0]")), ("[]", .invalidAddress("[]")),
            ("127.1", .invalidAddress("127.1")),
            ("0177.0.0.1", .invalidAddress("0177.0.0.1")), ("256.0.0.1", .invalidAddress("256.0.0.1")),
            ("0x7f.0.0.0x1", .invalidAddress("0x7f.0.0.0x1")),
            ("2130706433", .invalidAddress("2130706433")), ("::1", .unbracketedAddress("::1")),
            ("fe80::1/x", .unbracketedAddress("fe80::1")),
            ("*", .wildcardHost("*")), ("*/x", .wildcardHost("*")), ("a.*.com", .wildcardHost("a.*.com")),
            ("*a.com", .wildcardHost("*a.com")),
            ("*.*.com", .wildcardHost("*.com")), ("*.0.0.1", .invalidAddress("0.0.1")), ("a:", .invalidPort(":")),
            ("a:0", .invalidPort(":0")),
            ("a:65536", .invalidPort(":65536")), ("a:080", .invalidPort(":080")), ("a:+80", .invalidPort(":+80")),
            ("a:x", .invalidPort(":x")),
            ("[::1]80", .invalidPort("80")), ("[::1]x:80", .invalidPort("x:80")),
            ("a:99999999999999999999", .invalidPort(":99999999999999999999")),
            ("/a/*", .wildcardPath), ("/a/**", .wildcardPath), ("/{id}", .wildcardPath),
            ("/a//b", .path(.emptySegment)),
            ("/a/..", .path(.dotSegment)),
            ("a.com/%2e%2E", .path(.dotSegment)), ("/%2F", .path(.encodedSlash)),
        ] as [(String, PlaceRejection)]
    )
    func `text that is no place is refused with its cause`(text: String, rejection: PlaceRejection) {
        #expect(throws: rejection) { try PlacePattern(at: text) }
    }

    @Test func `a port is at most 65535, a host name at most 253 bytes, a label at most 63`() throws {
        #expect(try PlacePattern(at: "a:65535").port == 65535)
        let label = String(repeating: "a", count: 63)
        #expect(throws: Never.self) { try PlacePattern(at: label) }
        #expect(throws: PlaceRejection.invalidHost(label + "a")) { try PlacePattern(at: label + "a") }
        let name = [label, label, label, String(repeating: "a", count: 61)].joined(separator: ".")
        #expect(throws: Never.self) { try PlacePattern(at: name) }
        #expect(throws: PlaceRejection.invalidHost(name + "a")) { try PlacePattern(at: name + "a") }
    }

    @Test(
        arguments: [
            ("https://shopping.your-app.com/api", "shopping.your-app.com/api"), ("http://api.example", "api.example"),
            ("HTTPS://API.example:8443/x/", "api.example:8443/x"), ("https://[::1]/x", "[0:0:0:0:0:0:0:1]/x"),
            ("https://api.example:443", "api.example:443"),
            ("orders", nil), ("urn:example:orders", nil), ("api://0d9e4c21", nil), ("httpsx://a", nil),
            ("https:/a", nil), ("", nil),
            ("/orders", nil),
        ] as [(String, String?)]
    )
    func `a resource identifier is a place if it is a URL, otherwise a name`(identifier: String, place: String?)
        throws
    {
        #expect(try PlacePattern(resourceIdentifier: identifier)?.description == place)
    }

    @Test(
        arguments: [
            ("https://a.com/x?y=z", .query), ("https://a.com?", .query), ("https://a.com/#x", .fragment),
            ("https://u@a.com", .userinfo),
            ("https://u:p@a.com/", .userinfo), ("https:///x", .missingHost), ("https://", .missingHost),
            ("https://*.a.com", .wildcardHost("*.a.com")),
            ("http://a.com/..", .path(.dotSegment)), ("https://a.com:/", .invalidPort(":")), ("https://?x", .query),
            ("https://:80/", .missingHost),
        ] as [(String, PlaceRejection)]
    )
    func `a URL that is no valid place is refused as resource identifier with its cause`(
        identifier: String, rejection: PlaceRejection
    ) {
        #expect(throws: rejection) { try PlacePattern(resourceIdentifier: identifier) }
    }

    @Test(
        arguments: [
            ("api", true), ("orders-2", true), ("localhost", false), ("api.example", false), ("api:80", false),
            ("api/x", false),
            ("/api", false),
            ("[::1]", false), ("127.0.0.1", false),
        ]
    )
    func `an at entry that is a bare word is reported`(text: String, reported: Bool) throws {
        #expect(try PlacePattern(at: text).isBareWord == reported)
    }

    @Test func `a place counts its segments and reports path parameters`() throws {
        #expect(try PlacePattern(at: "a.com/x/y/").segmentCount == 2)
        #expect(try PlacePattern(at: "a.com").segmentCount == 0)
        #expect(try PlacePattern(at: "/x;y").hasParameters)
        #expect(try !PlacePattern(at: "/x").hasParameters)
    }
}
