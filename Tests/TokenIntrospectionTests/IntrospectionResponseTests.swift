import StrictJSON
import Testing
import TokenIntrospection
import TokenVerification

@Suite struct IntrospectionResponseTests {
    @Test func `a token is active when active is the JSON value true`() throws {
        let response = try SampleAnswers.response(#"{"active":true,"sub":"ann","exp":1790000060}"#)
        #expect(response.isActive)
        #expect(response.expiry?.seconds == 1_790_000_060)
        #expect(response.claims.json["sub"]?.string == "ann")
    }

    @Test(arguments: [
        #"{"active":false}"#, #"{"active":"true"}"#, #"{"active":1}"#, #"{"active":null}"#, #"{"active":[true]}"#,
        #"{"active":{"active":true}}"#, #"{"Active":true}"#, #"{"sub":"ann","exp":1790000060}"#, "{}",
    ])
    func `anything but true is not active`(text: String) throws {
        #expect(try SampleAnswers.response(text).isActive == false)
    }

    @Test(arguments: [
        "", "true", "null", "[]", #"[{"active":true}]"#, "<html></html>", #"{"active":true"#, #"{"active":true}x"#,
        #"{"active":true,"active":false}"#, "{\"active\":true,\"sub\":\"\\u0000\"}", "\u{FEFF}{\"active\":true}", "active=true",
        "eyJ0eXAiOiJ0b2tlbi1pbnRyb3NwZWN0aW9uK2p3dCJ9.e30.c2ln",
    ])
    func `what is not one JSON object is no answer`(text: String) {
        #expect(throws: IntrospectionResponseRejection.notJSONObject) { try SampleAnswers.response(text) }
    }

    @Test func `an answer as large as a claims set may be is read, one byte more is refused`() throws {
        let (head, tail) = (#"{"active":true,"note":""#, #""}"#)
        let filling = String(repeating: "x", count: 12 * 1024 - head.utf8.count - tail.utf8.count)
        #expect(try SampleAnswers.response(head + filling + tail).byteCount == 12 * 1024)
        #expect(throws: IntrospectionResponseRejection.tooLarge(limit: 12 * 1024)) {
            try SampleAnswers.response(head + filling + "x" + tail)
        }
    }

    @Test func `an answer cut short anywhere is no answer`() {
        let text = #"{"active":true,"scope":"read","exp":1790000060}"#
        for length in 0..<text.utf8.count {
            #expect(throws: IntrospectionResponseRejection.notJSONObject) {
                try SampleAnswers.response(String(decoding: text.utf8.prefix(length), as: UTF8.self))
            }
        }
    }

    @Test(arguments: [#"{"active":true}"#, #"{"active":true,"exp":"1790000060"}"#, #"{"active":true,"exp":null}"#])
    func `an expiry that is not a number is none`(text: String) throws {
        #expect(try SampleAnswers.response(text).expiry == nil)
    }
}
