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
    func `references to environment variables are replaced`(_ text: String, _ result: String) throws {
        #expect(try Substitution.apply(to: text, environment: Self.environment) == result)
    }

    @Test func `a substituted value is not substituted again`() throws {
        #expect(try Substitution.apply(to: "${B_2}", environment: Self.environment) == "${A} $$")
    }

    @Test func `a reference to a variable that is not set is refused`() {
        let expected = Substitution.Rejection(
            message: "the environment variable `C` is not set", hint: "set it, or write `${C:-default}`",
        )
        #expect(throws: expected) { try Substitution.apply(to: "a${C}", environment: Self.environment) }
    }

    @Test(arguments: ["${}", "${ A}", "${1}", "${A-b}", "${A:b}", "${ä}", "${:-d}"])
    func `a reference with an invalid variable name is refused`(_ text: String) {
        let expected = Substitution.Rejection(
            message: "`\(text)` names no environment variable", hint: "write `${NAME}` or `${NAME:-default}`",
        )
        #expect(throws: expected) { try Substitution.apply(to: text, environment: Self.environment) }
    }

    @Test(arguments: ["${", "a${A", "${A:-b"])
    func `a reference without a closing brace is refused`(_ text: String) {
        let expected = Substitution.Rejection(
            message: "`${` without `}`", hint: "write `$$` for a `$` that is meant as such")
        #expect(throws: expected) { try Substitution.apply(to: text, environment: Self.environment) }
    }
}
