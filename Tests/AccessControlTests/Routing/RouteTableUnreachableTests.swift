import Testing
import TokenVerification

@testable import AccessControl

struct RouteTableUnreachableTests {
    @Test(
        arguments: [
            (["GET /a/{x}", "GET /a/*"], [1]), (["GET /a/*", "GET /a/{x}"], [0]), (["ANY /{x}", "GET /*"], [1]),
            (["GET /{x}", "ANY /*"], []),
            (["GET /{x}", "HEAD /*"], [1]), (["HEAD /{x}", "GET /*"], []), (["GET /{x}", "GET,PUT /*"], []),
            (["GET /{x}", "PUT /{y}", "GET,PUT /*"], [2]),
            (["GET /{x}/**", "GET /*/b", "GET /*"], [1, 2]), (["GET /{x}/b", "GET /*/b/**"], []),
            (["GET /{x}/b/**", "GET /*/b/**"], [1]),
            (["GET /a", "GET /a/{x}/**", "GET /a/**"], [2]),
            (["GET /a", "GET /a/*", "GET /a/{x}/*/**", "GET /a/**"], []),
            (["GET /a", "GET /a/{x}", "GET /a/{x}/{y}/**", "GET /a/**"], [3]),
            (["GET /a/", "GET /a/*/**", "GET /a/**"], [2]),
            (["GET /a/{x}/", "GET /a/*"], [1]), (["GET /a", "GET /a/"], []), (["ANY /a", "GET /a"], []),
            (["GET /a/b", "GET /a/{x}"], []),
            (["GET /{x}:a", "GET /*:a"], [1]), (["GET /{x}:a", "GET /*:b", "GET /*a"], []),
            (["GET /{x}/**", "GET /*/b*"], [1]), (["GET /{x}/{y}", "GET /*/b*"], [1]),
            (["GET /{x}/b*/**", "GET /*/b*/c"], [1]),
            (["GET /{x}/**", "GET /*/**/a"], [1]), (["GET /a", "GET /a/{x}/**", "GET /a/**/b"], [2]),
            (["GET /**/{n}.css", "GET /**/*.css"], [1]), (["GET /**/{n}", "GET /**/*"], [1]),
            (["GET /{a}/**/x", "GET /*/**/x"], [1]), (["GET /{a}/**/{b}", "GET /*/**/x"], [1]),
            (["GET /**/a/{n}", "GET /**/*"], []), (["GET /**/{n}/a", "GET /**/*/b"], []),
            (["GET /**", "GET /**/a"], []), (["GET /**/b", "GET /**/a/b"], []),
            (["ANY /", "ANY /{x}/**", "ANY /**"], [2]), (["ANY /", "GET /{x}/**", "ANY /**"], []), ([], []),
        ] as [([String], [RuleIndex])]
    )
    func `a rule that more specific rules cover completely is reported as unreachable`(
        routes: [String], unreachable: [RuleIndex]
    ) throws {
        #expect(try RouteTable(routes.map { try RoutePattern($0) }).unreachableRules == unreachable)
    }
}
