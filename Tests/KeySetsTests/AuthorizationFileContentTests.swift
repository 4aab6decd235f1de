import KeySets
import Testing

struct AuthorizationFileContentTests {
    @Test(arguments: [
        ("abc.def", "Bearer abc.def"), ("abc.def\n", "Bearer abc.def"), ("abc.def\r\n", "Bearer abc.def"),
        ("Basic dTpw\n", "Basic dTpw"), ("Bearer abc", "Bearer abc"),
    ])
    func `a token alone is sent as a bearer token, and a value with a scheme is sent unchanged`(
        content: String, value: String
    ) throws {
        #expect(try AuthorizationFileContent(Array(content.utf8)).value == value)
    }

    @Test(
        arguments: [
            ("", .empty), ("\n", .empty), ("  \n", .empty), ("a\nX-Other: b\n", .notOneLine), ("a\n\n", .notOneLine),
            ("a\tb", .notOneLine), ("gr\u{fc}n", .notOneLine), (" abc", .notOneLine), ("abc ", .notOneLine),
            ("a\0b", .notOneLine),
            (String(repeating: "a", count: 16_385), .tooLarge),
        ] as [(String, AuthorizationFileContent.Unusable)])
    func `content that is no single field value is refused`(content: String, reason: AuthorizationFileContent.Unusable)
    {
        // A line break at the end belongs to the text file; a second one would end the field.
        #expect(throws: reason) { try AuthorizationFileContent(Array(content.utf8)) }
    }

    @Test func `an authorization file of the maximum size is read`() throws {
        #expect(
            try AuthorizationFileContent(Array(String(repeating: "a", count: 16_384).utf8)).value.utf8.count == 16_391)
    }
}
