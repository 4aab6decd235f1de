import Testing

@testable import ConfigurationFile

struct SubstitutionTests {
    private static let environment = ["A": "x", "EMPTY": "", "B_2": "${A} $$", "_": "u"]

    @Test(arguments: [
        ("${A}", "x"), ("a${A}b${A}c", "axbxc"), ("$A", "$A"), ("$", "$"), ("a$", "a$"), ("$$", "$"), ("$${A}", "${A}"),
        ("$$$$", "$$"),
        ("$$${A}", "$x"), ("${EMPTY}", ""), ("${EMPTY:-d}", "d"), ("${C:-}", ""), ("${C:-a b: {c}", "a b: {c"),
        ("${C:-x:-y}", "x:-y"),
        ("${C:-$$}", "$"), ("${A:-d}", "x"), ("${_}", "u"), ("}", "}"),
    ])
    func `references are replaced`(_ text: String, _ result: String) throws {
        #expect(try Substitution.apply(to: text, environment: Self.environment) == result)
    }

    @Test func `what comes out is not looked at again`() throws {
        #expect(try Substitution.apply(to: "${B_2}", environment: Self.environment) == "${A} $$")
    }

    @Test func `a variable that is not set is refused`() {
        let expected = Substitution.Rejection(
            message: "the environment variable `C` is not set", hint: "set it, or write `${C:-default}`",
        )
        #expect(throws: expected) { try Substitution.apply(to: "a${C}", environment: Self.environment) }
    }

    @Test(arguments: ["${}", "${ A}", "${1}", "${A-b}", "${A:b}", "${ä}", "${:-d}"])
    func `what is no name is refused`(_ text: String) {
        let expected = Substitution.Rejection(
            message: "`\(text)` names no environment variable", hint: "write `${NAME}` or `${NAME:-default}`",
        )
        #expect(throws: expected) { try Substitution.apply(to: text, environment: Self.environment) }
    }

    @Test(arguments: ["${", "a${A", "${A:-b"])
    func `a reference that does not end is refused`(_ text: String) {
        let expected = Substitution.Rejection(
            message: "`${` without `}`", hint: "write `$$` for a `$` that is meant as such")
        #expect(throws: expected) { try Substitution.apply(to: text, environment: Self.environment) }
    }
}
