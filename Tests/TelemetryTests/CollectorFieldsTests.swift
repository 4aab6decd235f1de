import Telemetry
import Testing

struct CollectorFieldsTests {
    private func fields(_ text: String) throws(CollectorFields.Fault) -> [String] {
        try CollectorFields(Array(text.utf8)).fields.map { "\($0.name)=\($0.value)" }
    }

    @Test func `a line is a field; blank lines and comments count for nothing`() throws {
        #expect(
            try fields("Authorization: Bearer a:b \r\n\n# no: field\n\tx-scope:1") == [
                "Authorization=Bearer a:b", "x-scope=1",
            ])
        #expect(try fields("") == [])
    }

    @Test(arguments: [
        ("a: b\nnothing", 2, "it has no `:`; write `name: value`"),
        (": x", 1, "it begins with no field name"),
        ("a b: x", 1, "it begins with no field name"),
        ("Host: x", 1, "`Host` is not permitted here"),
        ("content-LENGTH: 1", 1, "`content-LENGTH` is not permitted here"),
        ("a:", 1, "the value of `a` is empty, or has a character that is not ASCII"),
        ("a: b\u{1}c", 1, "the value of `a` is empty, or has a character that is not ASCII"),
        ("a: ü", 1, "the value of `a` is empty, or has a character that is not ASCII"),
    ])
    func `a line that is no field is named with its reason`(text: String, line: Int, reason: String) {
        #expect(throws: CollectorFields.Fault(line: line, reason: reason)) { try fields(text) }
    }

    @Test func `the number of fields is bounded`() throws {
        let lines = (1...CollectorFields.most).map { "a\($0): b" }
        #expect(try fields(lines.joined(separator: "\n")).count == CollectorFields.most)
        #expect(throws: CollectorFields.Fault(line: 33, reason: "more than 32 fields")) {
            try fields((lines + ["c: d"]).joined(separator: "\n"))
        }
    }
}
