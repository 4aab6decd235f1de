import Testing

@testable import AccessControl

struct MethodPatternTests {
    @Test func `methods are read as a set`() throws {
        #expect(try MethodPattern("ANY") == .any)
        #expect(try MethodPattern("GET") == .tokens(["GET"]))
        #expect(try MethodPattern("HEAD,GET") == .tokens(["GET", "HEAD"]))
        #expect(try MethodPattern("HEAD,GET") == MethodPattern("GET,HEAD"))
        #expect(try MethodPattern("M-SEARCH,VERSION-CONTROL").description == "M-SEARCH,VERSION-CONTROL")
        #expect(try MethodPattern("ANY").description == "ANY")
    }

    @Test(
        arguments: [
            ("", .empty), ("GET,", .empty), (",GET", .empty), ("GET,,HEAD", .empty), ("GET, HEAD", .whitespace), (" GET", .whitespace),
            ("GET\t", .whitespace), ("get", .lowerCase("get")), ("GET,Post", .lowerCase("Post")), ("any", .lowerCase("any")),
            ("GET/", .notAToken("GET/")), ("GÉT", .notAToken("GÉT")), ("G(T", .notAToken("G(T")), ("CONNECT", .connectOrTrace("CONNECT")),
            ("GET,TRACE", .connectOrTrace("TRACE")), ("ANY,GET", .anyBesideOthers), ("GET,ANY", .anyBesideOthers),
            ("GET,GET", .duplicate("GET")),
            ("ANY,ANY", .duplicate("ANY")),
        ] as [(String, MethodPatternRejection)]
    )
    func `what is not a set of methods is refused with its cause`(text: String, rejection: MethodPatternRejection) {
        #expect(throws: rejection) { try MethodPattern(text) }
    }
}
