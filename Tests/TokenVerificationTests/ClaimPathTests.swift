import StrictJSON
import Testing
import TokenVerification

@Suite struct ClaimPathTests {
    static let claims = """
        {"a":{"b":[1,"x"]},"a.b":7,"https://your-app.com/roles":["admin"],"x/y":1,"":3,"m~n":2,"n":null,"o":{"p":null,"q":[null]}}
        """

    @Test(arguments: [
        ("a.b", #"[1,"x"]"#), ("/a/b/1", #""x""#), ("/a.b", "7"), ("https://your-app.com/roles", #"["admin"]"#), ("/x~1y", "1"),
        ("/m~0n", "2"), ("/", "3"), ("o", #"{"p":null,"q":[null]}"#), ("o.q", "[null]"),
    ])
    func `a path finds its claim`(_ path: String, _ expected: String) throws {
        let json = try JSONDocument(parsing: Array(Self.claims.utf8).span, limits: .claimsSet).root
        let value = try #require(try ClaimPath(path).value(in: json))
        #expect(String(decoding: value.serialized(), as: UTF8.self) == expected)
    }

    @Test(arguments: ["a.c", "a.b.c", "/a/b/2", "/a/b/01", "/a/b/-", "A", "b", "/a/b/x", "n", "o.p", "o.p.x", "/o/q/0"])
    func `what is not there is nil`(_ path: String) throws {
        let json = try JSONDocument(parsing: Array(Self.claims.utf8).span, limits: .claimsSet).root
        #expect(try ClaimPath(path).value(in: json) == nil)
    }

    @Test(arguments: [
        ("", ClaimPathRejection.empty), ("a..b", .emptyName), ("/a~2", .invalidPointer), ("/a~", .invalidPointer),
    ])
    func `a bad path is refused`(_ path: String, _ expected: ClaimPathRejection) {
        #expect(throws: expected) { try ClaimPath(path) }
    }
}
