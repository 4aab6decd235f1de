import ProviderFixtures
import StrictJSON
import Testing

struct JSONObjectPatchTests {
    @Test(
        arguments: [
            (#"{"a":1,"b":2}"#, #"{"b":3}"#, [], #"{"a":1,"b":3}"#),
            (#"{"a":1,"b":2}"#, #"{"c":3,"a":0}"#, [], #"{"a":0,"b":2,"c":3}"#),
            (#"{"a":1,"b":2}"#, #"{}"#, ["a", "x"], #"{"b":2}"#),
            (#"{"a":{"x":1,"y":2}}"#, #"{"a":{"x":3}}"#, [], #"{"a":{"x":3}}"#),
            (#"{"tid":"a"}"#, #"{"TID":"b"}"#, [], #"{"tid":"a","TID":"b"}"#),
            ("{\"e\u{301}\":1}", "{\"\u{E9}\":2}", [], "{\"e\u{301}\":1,\"\u{E9}\":2}"),
        ] as [(String, String, [String], String)])
    func `members of a patched object keep their order, and new ones are appended`(
        base: String, set: String, unset: [String], result: String
    ) throws {
        let changed = JSONObjectPatch(set: try object(set), unset: unset).applied(to: try object(base))
        #expect(changed.serialized() == Array(result.utf8))
    }

    @Test func `a member that is both unset and set is appended`() throws {
        let changed = JSONObjectPatch(set: try object(#"{"a":3}"#), unset: ["a"]).applied(
            to: try object(#"{"a":1,"b":2}"#))
        #expect(changed.serialized() == Array(#"{"b":2,"a":3}"#.utf8))
    }

    private func object(_ text: String) throws -> JSONValue {
        try JSONDocument(parsing: Array(text.utf8), limits: .document).root
    }
}
