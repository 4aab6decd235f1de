import Testing

@testable import AccessControl

struct RoutePatternTests {
    @Test func `methods and path of a rule are separated by one space`() throws {
        let route = try RoutePattern("HEAD,GET /orders/**")
        #expect(route.methods == .tokens(["GET", "HEAD"]))
        #expect(route.path.coversRest)
        #expect(route.description == "GET,HEAD /orders/**")
        #expect(try route == RoutePattern(methods: MethodPattern("GET,HEAD"), path: PathPattern("/orders/**")))
    }

    @Test(
        arguments: [
            ("/orders", .missingMethods), ("GET", .missingPath), ("", .missingPath), ("GET orders", .missingPath),
            ("GET/orders", .notOneSpace),
            ("GET  /orders", .notOneSpace), ("GET\t/orders", .notOneSpace), (" /orders", .methods(.empty)),
            ("GET, HEAD /x", .methods(.whitespace)),
            ("get /x", .methods(.lowerCase("get"))), ("TRACE /x", .methods(.connectOrTrace("TRACE"))),
            ("GET /a//b", .path(.path(.emptySegment))),
            ("GET /a /b", .path(.path(.forbiddenCharacter))), ("GET /a ", .path(.path(.forbiddenCharacter))),
            ("GET /**/x/**", .path(.severalDoubleWildcards)),
        ] as [(String, RoutePatternRejection)]
    )
    func `text that is no rule is refused with its cause`(text: String, rejection: RoutePatternRejection) {
        #expect(throws: rejection) { try RoutePattern(text) }
    }
}
