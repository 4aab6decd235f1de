import StrictJSON
import Testing
import TokenVerification

@Suite struct ClaimPathTests {
    static let claims = """
        {"a":{"b":[1,"x"]},"a.b":7,"https://your-app.com/roles":["admin"],"x/y":1,"":3,"m~n":2,"n":null,"o":{"p":null,"q":[null]}}
        """

    @Test(arguments: [
        ("a.b", #"[1,"x"]"#), ("/a/b/1", #""x""#), ("/a.b", "7"), ("https://your-app.com/roles", #"["admin"]"#),
        ("/x~1y", "1"),
        ("/m~0n", "2"), ("/", "3"), ("o", #"{"p":null,"q":[null]}"#), ("o.q", "[null]"),
    ])
    func `a path finds its claim`(_ path: String, _ expected: String) throws {
        let json = try JSONDocument(parsing: Array(Self.claims.utf8).span, limits: .claimsSet).root
        let value = try #require(try ClaimPath(path).value(in: json))
        #expect(String(decoding: value.serialized(), as: UTF8.self) == expected)
    }

    static let wholeNames: [(String, String, String?)] = [
        ("a.b", #"{"a.b":7}"#, "/a.b"), ("a.b", #"{"a":{"c":1},"a.b":7}"#, "/a.b"),
        ("a.b", #"{"a":{"b":null},"a.b":7}"#, "/a.b"),
        ("x/y.m~n", #"{"x/y.m~n":7}"#, "/x~1y.m~0n"),
        // The claim exists at the path, or no claim has that name.
        ("a.b", #"{"a":{"b":1},"a.b":7}"#, nil), ("a.b", #"{"a":{"b":[]}}"#, nil),
        ("a.b", #"{"a.b":null}"#, nil), ("a.b", #"{"a.b.c":7}"#, nil),
        // Paths that have one meaning.
        ("/a.b", #"{"x":1}"#, nil), ("ab", #"{"ab":7}"#, nil),
        ("https://a.example/b", #"{"https://a.example/b":7}"#, nil),
        ("/a/b", #"{"/a/b":7}"#, nil),
    ]

    @Test(arguments: wholeNames)
    func `a claim whose name is the whole path text has a pointer`(path: String, claims: String, pointer: String?)
        throws
    {
        let json = try JSONDocument(parsing: Array(claims.utf8).span, limits: .claimsSet).root
        let path = try ClaimPath(path)
        #expect(path.pointerToWholeName(in: json) == pointer)
        guard let pointer else { return }
        #expect(path.isDotted)
        #expect(try ClaimPath(pointer).value(in: json)?.integer == 7)
    }

    @Test(arguments: ["a.c", "a.b.c", "/a/b/2", "/a/b/01", "/a/b/-", "A", "b", "/a/b/x", "n", "o.p", "o.p.x", "/o/q/0"])
    func `a claim that does not exist is nil`(_ path: String) throws {
        let json = try JSONDocument(parsing: Array(Self.claims.utf8).span, limits: .claimsSet).root
        #expect(try ClaimPath(path).value(in: json) == nil)
    }

    @Test(arguments: [
        ("a.b.c", #"{}"#, true), ("a.b.c", #"{"a":{"b":{"x":1}}}"#, true), ("a.b.c", #"{"a":{"b":{"c":null}}}"#, true),
        ("a.b.c", #"{"a":{"b":{"c":1}}}"#, false), ("a.b.c", #"{"a.b.c":1}"#, false),
        // Names that contain a dot of the path.
        ("a.b.c", #"{"a.b":{"c":1}}"#, false), ("a.b.c", #"{"a":{"b.c":1}}"#, false),
        ("a.b.c", #"{"a.b":{"x":1},"a":{"b.c":null}}"#, true), ("a.b.c", #"{"a.b":null}"#, true),
        // Values that may hide the claim.
        ("a.b.c", #"{"a.b":"x"}"#, false), ("a.b.c", #"{"a":{"b":[]}}"#, false), ("a.b.c", #"{"a.b":{}}"#, true),
        // A pointer has one spelling.
        ("/a/b/c", #"{"a":{"b.c":1}}"#, true), ("/a.b/c", #"{"a.b":{"c":1}}"#, false),
        ("/a.b/c", #"{"a":{"b":{"c":1}}}"#, true),
    ])
    func `a claim is absent if no reading of the path finds it`(path: String, claims: String, isAbsent: Bool) throws {
        let json = try JSONDocument(parsing: Array(claims.utf8).span, limits: .claimsSet).root
        #expect(try ClaimPath(path).isAbsent(in: json) == isAbsent)
    }

    static let lists = """
        {"g":[{"r":"a"},{"r":["b","c"]},{"x":1},{"r":null}],"e":[],"o":{"r":"a"},"t":"a","d":[{"r":"a"},{"r":"b"}],"m":[{"r":"a"},7],
        "n":[{"l":[{"r":"a"}]},{"l":[]}],"p":["a","b"],"z":[null]}
        """

    @Test(arguments: [
        ("/g/*/r", [#""a""#, #"["b","c"]"#]), ("g.*.r", [#""a""#, #"["b","c"]"#]), ("/e/*/r", []), ("/o/*/r", []),
        ("/t/*/r", []), ("/d/*/r", [#""a""#, #""b""#]), ("/m/*/r", [#""a""#]), ("/n/*/l/*/r", [#""a""#]),
        ("/p/*", [#""a""#, #""b""#]), ("/z/*", []), ("/g/*/r/*", [#""b""#, #""c""#]),
    ])
    func `a level with an asterisk leads to every element of an array`(_ text: String, _ expected: [String]) throws {
        let json = try JSONDocument(parsing: Array(Self.lists.utf8).span, limits: .claimsSet).root
        let path = try ClaimPath(text, permitsElements: true)
        #expect(path.isMultiple)
        #expect(path.value(in: json) == nil)
        #expect(path.values(in: json).map { String(decoding: $0.serialized(), as: UTF8.self) } == expected)
    }

    /// A path, and whether its claims hold `a`, hold something else only, and are absent.
    @Test(arguments: [
        ("/g/*/r", true, false, false), ("/d/*/r", true, false, false), ("/e/*/r", false, true, true),
        ("/o/*/r", false, false, false), ("/t/*/r", false, false, false), ("/m/*/r", true, false, false),
        ("/y/*/r", false, false, true), ("/z/*/r", false, false, true), ("/d/*/x", false, false, true),
        ("/m/*/x", false, false, false), ("/n/*/l/*/r", true, false, false), ("/n/*/l/*/x", false, false, true),
        ("/p/*", true, false, false), ("/e/*", false, true, true), ("/z/*", false, false, true),
    ])
    func `one element is enough to hold, each must be another to be excluded, and none may be there to be absent`(
        _ text: String, holds: Bool, isOther: Bool, isAbsent: Bool
    ) throws {
        let claims = try ClaimsSet(parsing: Array(Self.lists.utf8).span)
        let path = try ClaimPath(text, permitsElements: true)
        let choice = ClaimChoice(values: [.string("a")])
        #expect(TokenTest.claim(path, .held(choice)).holds(for: claims) == holds)
        #expect(TokenTest.claim(path, .excluded(choice)).holds(for: claims) == isOther)
        #expect(TokenTest.claim(path, .missing).holds(for: claims) == isAbsent)
        #expect(TokenTest.claim(path, .held(choice)).negated.holds(for: claims) != holds)
    }

    @Test func `all elements are something else if each has another value`() throws {
        let claims = try ClaimsSet(parsing: Array(Self.lists.utf8).span)
        let path = try ClaimPath("/d/*/r", permitsElements: true)
        let choice = ClaimChoice(values: [.string("x")])
        #expect(TokenTest.claim(path, .excluded(choice)).holds(for: claims))
    }

    @Test(arguments: [
        ("/a/*", ClaimPathRejection.elements), ("a.*.b", .elements), ("/*", .elements), ("*", .elements),
    ])
    func `an asterisk is refused where one claim is meant`(_ path: String, _ expected: ClaimPathRejection) {
        #expect(throws: expected) { try ClaimPath(path) }
    }

    @Test(arguments: ["/*", "*", "*.a", "/*/a"])
    func `an asterisk does not come first`(_ path: String) {
        #expect(throws: ClaimPathRejection.elementsOfNothing) { try ClaimPath(path, permitsElements: true) }
    }

    @Test(arguments: ["/a*", "/a/b*", "a*.b", "/a/**", "https://a.example/*"])
    func `an asterisk within a name is a character of it`(_ path: String) throws {
        #expect(try !ClaimPath(path).isMultiple)
    }

    @Test(arguments: [
        ("", ClaimPathRejection.empty), ("a..b", .emptyName), ("/a~2", .invalidPointer), ("/a~", .invalidPointer),
    ])
    func `an invalid claim path is refused with its cause`(_ path: String, _ expected: ClaimPathRejection) {
        #expect(throws: expected) { try ClaimPath(path) }
    }
}
