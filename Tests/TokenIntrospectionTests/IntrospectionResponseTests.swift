import StrictJSON
import Testing
import TokenIntrospection
import TokenVerification

@Suite struct IntrospectionResponseTests {
    @Test func `a token is active if active is the JSON value true`() throws {
        let response = try SampleAnswers.response(#"{"active":true,"sub":"ann","exp":1790000060}"#)
        #expect(response.isActive)
        #expect(response.expiry?.seconds == 1_790_000_060)
        #expect(response.claims.json["sub"]?.string == "ann")
    }

    @Test(arguments: [
        #"{"active":false}"#, #"{"active":"true"}"#, #"{"active":1}"#, #"{"active":null}"#, #"{"active":[true]}"#,
        #"{"active":{"active":true}}"#, #"{"Active":true}"#, #"{"sub":"ann","exp":1790000060}"#, "{}",
    ])
    func `a token is inactive if active is anything but true`(text: String) throws {
        #expect(try SampleAnswers.response(text).isActive == false)
    }

    @Test(arguments: [
        "", "true", "null", "[]", #"[{"active":true}]"#, "<html></html>", #"{"active":true"#, #"{"active":true}x"#,
        #"{"active":true,"active":false}"#, "{\"active\":true,\"sub\":\"\\u0000\"}", "\u{FEFF}{\"active\":true}",
        "active=true",
        "eyJ0eXAiOiJ0b2tlbi1pbnRyb3NwZWN0aW9uK2p3dCJ9.e30.c2ln",
    ])
    func `a response that is not exactly one JSON object is refused`(text: String) {
        #expect(throws: IntrospectionResponseRejection.notJSONObject) { try SampleAnswers.response(text) }
    }

    @Test func `a response with many groups is read completely`() throws {
        let groups = (0..<1000).map { number in #""group-\#(number)-of-a-large-directory""# }.joined(separator: ",")
        let text = #"{"active":true,"groups":[\#(groups)]}"#
        let response = try SampleAnswers.response(text)
        #expect(response.byteCount == text.utf8.count && response.byteCount > 32 * 1024)
        #expect(response.claims.json["groups"]?.count == 1000)
    }

    @Test func `a null member of a response counts as absent`() throws {
        let claims = try SampleAnswers.response(
            #"{"active":true,"aud":null,"act":{"sub":null,"x":[null]},"client_id":7}"#
        ).claims
        #expect(claims.json["aud"] == nil)
        #expect(try ClaimPath("act.sub").value(in: claims.json) == nil)
        #expect(try ClaimPath("act.x").value(in: claims.json)?.count == 1)
        #expect(claims.json["client_id"]?.string == "7")
    }

    @Test func `a response cut off anywhere is refused`() {
        let text = #"{"active":true,"scope":"read","exp":1790000060}"#
        for length in 0..<text.utf8.count {
            #expect(throws: IntrospectionResponseRejection.notJSONObject) {
                try SampleAnswers.response(String(decoding: text.utf8.prefix(length), as: UTF8.self))
            }
        }
    }

    @Test(arguments: [#"{"active":true}"#, #"{"active":true,"exp":"1790000060"}"#, #"{"active":true,"exp":null}"#])
    func `an expiry that is not a number counts as absent`(text: String) throws {
        #expect(try SampleAnswers.response(text).expiry == nil)
    }
}
