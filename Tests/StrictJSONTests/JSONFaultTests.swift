import StrictJSON
import Testing

/// Position of the first fault, and the name of a duplicate member.
struct JSONFaultTests {
    private static func fault(_ text: String, limits: JSONLimits = .claimsSet) -> JSONFault? {
        JSONFault(in: Array(text.utf8).span, limits: limits)
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, JSONRejection.duplicateMember, 10, "a"),
        (#"{"aud":1,"\u0061ud":2}"#, .duplicateMember, 19, "aud"),
        (#"{"x":"\"a\"","a":{"b":1,"b":2}}"#, .duplicateMember, 27, "b"), (#"{"":1,"":2}"#, .duplicateMember, 8, ""),
        (#"{"a":18446744073709551616,"a":-0}"#, .duplicateMember, 29, "a"),
    ])
    func `the fault of a duplicate member names the member and where the second one ends`(
        text: String, rejection: JSONRejection, position: Int, member: String
    ) throws {
        let fault = try #require(Self.fault(text))
        #expect(fault.rejection == rejection && fault.position == position && fault.member == member, "\(fault)")
    }

    @Test(arguments: [
        (#"{"a":1}x"#, JSONRejection.trailingBytes, 8), ("{\"a\":\u{0}}", .nullCharacter, 6),
        (#"{"a":1e400}"#, .numberOutOfRange, 10),
        ("", .empty, 1), ("17", .notObjectOrArray, 1),
        (String(repeating: "[", count: 65), .tooDeep, 65),
    ])
    func `a JSON fault names the byte at which parsing stopped, counted from one`(
        text: String, rejection: JSONRejection, position: Int
    ) throws {
        let fault = try #require(Self.fault(text))
        #expect(fault.rejection == rejection && fault.position == position && fault.member == nil, "\(fault)")
    }

    @Test(arguments: [#"{"a":?}"#, #"{"a":18446744073709551616,"b":?}"#, #"{"a":-0,"b":?}"#])
    func `integers that are replaced for the parser do not shift the position of a fault`(text: String) throws {
        let fault = try #require(Self.fault(text))
        #expect(fault.position == text.utf8.count - 1, "\(fault)")
    }

    @Test(arguments: ["{}", "[]", #"{"a":18446744073709551616}"#, #"{"a":{"b":null}}"#])
    func `valid JSON has no fault`(text: String) {
        #expect(Self.fault(text) == nil)
    }

    @Test func `JSON has a fault exactly if the document is refused`() {
        let text = Array(
            #"{"iss":"https://id.example","aud":["a","b"],"n":18446744073709551616,"x":{"y":[-0,null,"\u00e9"]}}"#.utf8)
        for length in text.indices {
            let part = Array(text.prefix(length))
            let document = try? JSONDocument(parsing: part, limits: .claimsSet)
            #expect((JSONFault(in: part.span, limits: .claimsSet) == nil) == (document != nil))
        }
    }
}
