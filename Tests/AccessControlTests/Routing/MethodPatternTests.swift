import Testing

@testable import AccessControl

struct MethodPatternTests {
    @Test func `a method pattern is read as a set of methods`() throws {
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
    func `text that is no set of methods is refused with its cause`(text: String, rejection: MethodPatternRejection) {
        #expect(throws: rejection) { try MethodPattern(text) }
    }

    @Test func `a lower-case method is accepted only exactly as it was declared`() throws {
        #expect(try MethodPattern("purge,GET", own: ["purge"]) == .tokens(["GET", "purge"]))
        #expect(throws: MethodPatternRejection.lowerCase("Purge")) { try MethodPattern("Purge", own: ["purge"]) }
        #expect(throws: MethodPatternRejection.connectOrTrace("TRACE")) { try MethodPattern("TRACE", own: ["TRACE"]) }
    }
}
