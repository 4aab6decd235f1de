import KeySets
import Testing

struct AuthorizationFileContentTests {
    @Test(arguments: [
        ("abc.def", "Bearer abc.def"), ("abc.def\n", "Bearer abc.def"), ("abc.def\r\n", "Bearer abc.def"),
        ("Basic dTpw\n", "Basic dTpw"), ("Bearer abc", "Bearer abc"),
    ])
    func `a token alone is a bearer token, and a scheme stays`(content: String, value: String) throws {
        #expect(try AuthorizationFileContent(Array(content.utf8)).value == value)
    }

    @Test(
        arguments: [
            ("", .empty), ("\n", .empty), ("  \n", .empty), ("a\nX-Other: b\n", .notOneLine), ("a\n\n", .notOneLine),
            ("a\tb", .notOneLine), ("gr\u{fc}n", .notOneLine), (" abc", .notOneLine), ("abc ", .notOneLine),
            ("a\0b", .notOneLine),
            (String(repeating: "a", count: 16_385), .tooLarge),
        ] as [(String, AuthorizationFileContent.Unusable)])
    func `what is no value of one field is refused`(content: String, reason: AuthorizationFileContent.Unusable) {
        // A line break at the end is one of text; a second ends the field.
        #expect(throws: reason) { try AuthorizationFileContent(Array(content.utf8)) }
    }

    @Test func `a file of exactly the limit is read`() throws {
        #expect(
            try AuthorizationFileContent(Array(String(repeating: "a", count: 16_384).utf8)).value.utf8.count == 16_391)
    }
}
