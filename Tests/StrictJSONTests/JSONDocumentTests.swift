import StrictJSON
import Testing

struct JSONDocumentTests {
    private static func rejection(of text: String, limits: JSONLimits = .claimsSet) -> JSONRejection? {
        rejection(of: Array(text.utf8), limits: limits)
    }

    private static func rejection(of bytes: [UInt8], limits: JSONLimits = .claimsSet) -> JSONRejection? {
        do throws(JSONRejection) {
            _ = try JSONDocument(parsing: bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    private static func object(members: Int) -> String {
        "{" + (0..<members).map { number in "\"m\(number)\":[1,2,3]" }.joined(separator: ",") + "}"
    }

    @Test(arguments: [
        #"{"aud":1,"aud":2}"#, #"{"aud":1,"\u0061ud":2}"#, #"{"a":{"x":1,"y":2,"x":1}}"#, #"[{"":1,"":2}]"#,
    ])
    func `a duplicate member is refused, also if spelled with escapes or nested`(text: String) {
        #expect(Self.rejection(of: text) == .duplicateMember)
    }

    @Test func `member names that differ in case are different`() throws {
        let document = try JSONDocument(parsing: Array(#"{"aud":1,"Aud":2}"#.utf8), limits: .claimsSet)
        #expect(document.root["Aud"]?.integer == 2)
    }

    @Test(arguments: [JSONLimits.joseHeader, .claimsSet])
    func `a header and a claims set may have sixty-four levels, and no more (T127)`(limits: JSONLimits) {
        #expect(Self.rejection(of: Self.nested(64), limits: limits) == nil)
        #expect(Self.rejection(of: Self.nested(65), limits: limits) == .tooDeep)
        #expect(Self.rejection(of: Self.nested(1000), limits: limits) == .tooDeep)
    }

    @Test func `other documents may have sixteen levels by default`() {
        #expect(Self.rejection(of: Self.nested(16), limits: .document) == nil)
        #expect(Self.rejection(of: Self.nested(17), limits: .document) == .tooDeep)
        #expect(Self.rejection(of: Self.nested(100_000), limits: JSONLimits(bytes: 1 << 20)) == .tooDeep)
    }

    @Test func `no limit allows more than the greatest depth`() {
        let generous = JSONLimits(depth: 1000, bytes: 1 << 20)
        #expect(Self.rejection(of: Self.nested(JSONLimits.greatestDepth), limits: generous) == nil)
        #expect(Self.rejection(of: Self.nested(JSONLimits.greatestDepth + 1), limits: generous) == .tooDeep)
    }

    @Test func `brackets and commas within strings are not counted`() {
        let brackets = String(repeating: "[{,", count: 200)
        #expect(Self.rejection(of: #"{"a":"\#(brackets)\"\#(brackets)\\"}"#) == nil)
    }

    @Test func `an object has at most the limit of members, and an array any number of elements`() {
        let limits = JSONLimits(bytes: 1 << 20)
        #expect(Self.rejection(of: Self.object(members: 128), limits: limits) == nil)
        #expect(Self.rejection(of: Self.object(members: 129), limits: limits) == .tooManyMembers)
        #expect(
            Self.rejection(of: "[\(Self.object(members: 128)),\(Self.object(members: 128))]", limits: limits) == nil)
        #expect(Self.rejection(of: "[" + String(repeating: "1,", count: 1000) + "1]", limits: limits) == nil)
    }

    @Test func `the members of a claims set are limited only by its bytes (T128)`() {
        #expect(Self.rejection(of: Self.object(members: 129)) == nil)
        #expect(Self.rejection(of: Self.object(members: 10_000)) == nil)
    }

    @Test func `white space counts against the limit of bytes`() {
        let limits = JSONLimits(bytes: 10)
        #expect(Self.rejection(of: #"{"a":1}   "#, limits: limits) == nil)
        #expect(Self.rejection(of: #"{"a":1}    "#, limits: limits) == .tooLarge)
    }

    @Test(arguments: [("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min), ("0", 0)])
    func `64-bit integers are exact`(text: String, expected: Int64) throws {
        let document = try JSONDocument(parsing: Array("[\(text)]".utf8), limits: .claimsSet)
        #expect(document.root[index: 0]?.integer == expected)
    }

    @Test(arguments: ["1e400", "-1e400", "1e1000000000", "1.0e309"])
    func `numbers beyond the range of finite reals are refused with a reason of their own`(text: String) {
        #expect(Self.rejection(of: #"{"unrelated":\#(text)}"#) == .numberOutOfRange)
    }

    @Test func `a hundred thousand digits after the decimal point are read quickly (T130)`() throws {
        let digits = String(repeating: "3", count: 100_000)
        let document = try JSONDocument(parsing: Array("[0.\(digits)]".utf8), limits: .document)
        #expect(document.root[index: 0]?.real == 1.0 / 3)
    }

    @Test(arguments: ["x", "{}", "[]", ",", "null"])
    func `only white space may follow the value`(rest: String) {
        #expect(Self.rejection(of: "{} \n\t\r") == nil)
        #expect(Self.rejection(of: "{}" + rest) == .trailingBytes)
    }

    @Test(arguments: [
        "{\"a\":1}\u{0}", "\u{0}{}", "{\u{0}}", "{\"a\u{0}b\":1}", "[\"\u{0}\"]", #"["\u0000"]"#, #"{"a\u0000b":1}"#,
    ])
    func `a null character is refused anywhere (T125)`(text: String) {
        #expect(Self.rejection(of: text) == .nullCharacter)
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xB0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80],
            [0x80], [0xC3],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused in strings and names (T123)`(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(Self.rejection(of: Array("[\"".utf8) + bytes + [quote, UInt8(ascii: "]")]) == .notUTF8)
        #expect(Self.rejection(of: Array("{\"".utf8) + bytes + Array("\":1}".utf8)) == .notUTF8)
    }

    @Test(arguments: [#"["\ud800"]"#, #"["\udc00"]"#, #"["\ud800\u0041"]"#, #"["\udc00\ud800"]"#])
    func `half a surrogate pair is refused (T124)`(text: String) {
        guard case .malformed = Self.rejection(of: text) else {
            Issue.record("\(String(describing: Self.rejection(of: text)))")
            return
        }
    }

    @Test func `other encodings and byte order marks are refused`() {
        #expect(Self.rejection(of: [0xEF, 0xBB, 0xBF] + Array("{}".utf8)) == .byteOrderMark)
        #expect(Self.rejection(of: [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00]) == .notObjectOrArray)
        #expect(Self.rejection(of: [0x7B, 0x00, 0x7D, 0x00]) == .nullCharacter)
        #expect(Self.rejection(of: [0x00, 0x00, 0x00, 0x7B]) == .nullCharacter)
    }

    @Test(arguments: [
        "{'a':1}", "{/* */}", "{\"a\":1,}", "[1,]", "{a:1}", "[NaN]", "[Infinity]", "[0x1]", "[+1]", "[01]", "[.5]",
        "[1.]", "[\"\t\"]",
        "[\"\u{1}\"]", "{\"a\" 1}", "{1:1}", "[", "{\"a\":", "[\"", "]", "}",
    ])
    func `text outside the JSON grammar is refused (T126, T131)`(text: String) {
        switch Self.rejection(of: text) {
        case .malformed, .notObjectOrArray: break
        case let other: Issue.record("\(text): \(String(describing: other))")
        }
    }

    @Test func `malformed JSON is refused with line and column`() {
        #expect(Self.rejection(of: "{\n  \"a\": ?\n}") == .malformed(line: 2, column: 8))
    }

    @Test(arguments: ["", " ", "\n\t\r "])
    func `text with only white space is refused as empty`(text: String) {
        #expect(Self.rejection(of: text) == .empty)
    }

    @Test(arguments: ["null", "true", "1", "\"{}\"", "<html>"])
    func `a scalar as top-level value is refused`(text: String) {
        #expect(Self.rejection(of: text) == .notObjectOrArray)
    }

    @Test(arguments: [
        #"{"iss":"https://id.example","aud":["a","b"],"exp":1700000000,"nested":{"x":[1.5e3,true,null,"\u00e9\ud83d\ude00"]}}"#,
        #"[[],{},"",0,-1.25,false,{"":{"":[]}}]"#,
        #"{"keys":[{"kty":"RSA","n":"0vx7","e":"AQAB","x5c":["MIIC"]}]}"#,
    ])
    func `every truncated document is refused`(text: String) {
        let bytes = Array(text.utf8)
        #expect(Self.rejection(of: bytes) == nil)
        for length in bytes.indices {
            #expect(Self.rejection(of: Array(bytes.prefix(length))) != nil, "\(length) bytes")
        }
    }
}
