import Testing

@testable import DevelopmentIssuer

struct FormParametersTests {
    @Test func `names and values of a form are decoded, and empty values count as absent`() throws {
        let form = try #require(FormParameters("a=1+2&b%3D=%C3%A9&c=&d&a=x=y"))
        #expect(form.values("a") == ["1 2", "x=y"])
        #expect(form["b="] == "é")
        #expect(form["c"] == nil)
        #expect(form["d"] == nil)
    }

    @Test(arguments: ["a=%", "a=%2", "a=%zz", "a=%C3", "%ff=1"])
    func `a form with a malformed escape is malformed`(text: String) {
        #expect(FormParameters(text) == nil)
    }

    @Test func `an encoded form reads back as the same values`() throws {
        let value = "a&b=c d+e%é\n"
        let text = FormParameters.encode([("x", value), ("y", "1")])
        #expect(text == "x=a%26b%3Dc%20d%2Be%25%C3%A9%0A&y=1")
        #expect(try #require(FormParameters(text))["x"] == value)
    }
}
