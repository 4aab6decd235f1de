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
            ("", .empty), ("GET,", .empty), (",GET", .empty), ("GET,,HEAD", .empty), ("GET, HEAD", .whitespace),
            (" GET", .whitespace),
            ("GET\t", .whitespace), ("get", .lowerCase("get")), ("GET,Post", .lowerCase("Post")),
            ("any", .lowerCase("any")),
            ("Host(`x`)", .notAToken("Host(`x`)")), ("GET/", .notAToken("GET/")), ("GÉT", .notAToken("GÉT")),
            ("G(T", .notAToken("G(T")),
            ("CONNECT", .connectOrTrace("CONNECT")),
            ("GET,TRACE", .connectOrTrace("TRACE")), ("ANY,GET", .anyBesideOthers), ("GET,ANY", .anyBesideOthers),
            ("GET,GET", .duplicate("GET")),
            ("ANY,ANY", .duplicate("ANY")),
        ] as [(String, MethodPatternRejection)]
    )
    func `what is not a set of methods is refused with its cause`(text: String, rejection: MethodPatternRejection) {
        #expect(throws: rejection) { try MethodPattern(text) }
    }

    @Test func `a method in lower case is one where it is declared, to the letter`() throws {
        #expect(try MethodPattern("purge,GET", own: ["purge"]) == .tokens(["GET", "purge"]))
        #expect(throws: MethodPatternRejection.lowerCase("Purge")) { try MethodPattern("Purge", own: ["purge"]) }
        #expect(throws: MethodPatternRejection.connectOrTrace("TRACE")) { try MethodPattern("TRACE", own: ["TRACE"]) }
    }
}
