import StrictJSON
import Testing

/// Members that count as absent if the reader says so, and only there.
struct JSONReadingTests {
    private static let reading = JSONReading(
        omitsNullMembers: true, omittedIfEmpty: ["aud"], identifiers: ["sub", "jti"])

    private static func read(_ text: String, _ reading: JSONReading = reading) throws -> String {
        String(
            decoding: try JSONDocument(parsing: Array(text.utf8), limits: .claimsSet, reading: reading).root
                .serialized(), as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"a":null}"#, "{}"), (#"{"a":null,"b":1,"c":null}"#, #"{"b":1}"#), (#"{"b":1,"a":null}"#, #"{"b":1}"#),
        (#"{"a":{"b":null,"c":{"d":null}},"b":null}"#, #"{"a":{"b":null,"c":{"d":null}}}"#),
        (#"{"a":[null]}"#, #"{"a":[null]}"#),
        (#"{"":null,"é":null,"a":"null"}"#, #"{"a":"null"}"#), ("[null]", "[null]"),
        (#"[{"a":null}]"#, #"[{"a":null}]"#),
    ])
    func `only null members of the top-level object are omitted`(
        text: String, expected: String
    ) throws {
        #expect(try Self.read(text) == expected)
        #expect(try Self.read(text, .asWritten) == text)
    }

    @Test(arguments: [
        (#"{"aud":[]}"#, "{}"), (#"{"aud":[null]}"#, #"{"aud":[null]}"#), (#"{"aud":[""]}"#, #"{"aud":[""]}"#),
        (#"{"aud":{}}"#, #"{"aud":{}}"#), (#"{"aud":""}"#, #"{"aud":""}"#),
        (#"{"x":{"aud":[]}}"#, #"{"x":{"aud":[]}}"#),
        (#"{"aux":[]}"#, #"{"aux":[]}"#),
        (#"[{"aud":[]}]"#, #"[{"aud":[]}]"#),
    ])
    func `a top-level member that is an empty array is omitted only under certain names`(text: String, expected: String)
        throws
    {
        #expect(try Self.read(text) == expected)
    }

    @Test(arguments: [
        (#"{"sub":7}"#, #"{"sub":"7"}"#), (#"{"sub":0,"jti":-5}"#, #"{"sub":"0","jti":"-5"}"#),
        (#"{"a":1,"sub":9007199254740993,"b":2}"#, #"{"a":1,"sub":"9007199254740993","b":2}"#),
        (#"{"sub":9223372036854775807}"#, #"{"sub":"9223372036854775807"}"#),
        (#"{"sub":-9223372036854775808}"#, #"{"sub":"-9223372036854775808"}"#),
        (#"{"sub":9223372036854775808,"jti":-0}"#, #"{"sub":9223372036854775808,"jti":-0}"#),
        (#"{"sub":1.0}"#, #"{"sub":1.0}"#),
        (#"{"sub":1e3}"#, #"{"sub":1000.0}"#), (#"{"sub":"7","jti":[7]}"#, #"{"sub":"7","jti":[7]}"#),
        (#"{"x":{"sub":7},"Sub":7}"#, #"{"x":{"sub":7},"Sub":7}"#), ("[7]", "[7]"),
    ])
    func `only an integer identifier is read as its digits`(text: String, expected: String)
        throws
    {
        #expect(try Self.read(text) == expected)
    }

    @Test func `a duplicate member is refused even if it would be omitted`() {
        for text in [#"{"a":null,"a":null}"#, #"{"a":null,"a":1}"#, #"{"aud":[],"aud":"x"}"#] {
            #expect(throws: JSONRejection.duplicateMember) { try Self.read(text) }
        }
    }

    @Test func `null members are omitted even if there are very many`() throws {
        let wide = "{" + (0..<5000).map { #""m\#($0)":null"# }.joined(separator: ",") + "}"
        #expect(try Self.read(wide) == "{}")
    }
}
