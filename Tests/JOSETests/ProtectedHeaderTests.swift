import JOSE
import Testing

struct ProtectedHeaderTests {
    private static func rejection(of json: String) -> ProtectedHeaderRejection? {
        do throws(ProtectedHeaderRejection) {
            _ = try ProtectedHeader(parsing: json.utf8.span)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the members of a protected header are read`() throws {
        let header = try ProtectedHeader(
            parsing: #"{"alg":"RS256","kid":"k1","typ":"at+jwt","x5t":"a","x5t#S256":"b","other":[1]}"#.utf8.span)
        #expect(header.algorithmName == "RS256")
        #expect(header.algorithm == .exact(.rs256))
        #expect(header.keyID == "k1")
        #expect(header.type == "at+jwt")
        #expect(!header.hasNonce)
    }

    @Test func `key ID, type and nonce of a header may be absent`() throws {
        let header = try ProtectedHeader(parsing: #"{"alg":"EdDSA"}"#.utf8.span)
        #expect(header.algorithm == .edDSA)
        #expect(header.keyID == nil)
        #expect(header.type == nil)
        #expect(!header.hasNonce)
    }

    @Test(arguments: [#""x""#, "null", "1", "{}"])
    func `a nonce of any JSON type is noticed`(nonce: String) throws {
        #expect(try ProtectedHeader(parsing: #"{"alg":"RS256","nonce":\#(nonce)}"#.utf8.span).hasNonce)
    }

    @Test(arguments: [
        "none", "None", "NONE", "nOnE", "", "none ", "rs256", "RS256 ", "\u{FF32}\u{FF33}256", "HS256", "HS384",
        "HS512", "ES256K",
        "RSA1_5",
        "A128KW", "dir", "PBES2-HS256+A128KW", "eddsa", "ES521",
    ])
    func `an alg outside the algorithm table is no algorithm`(name: String) throws {
        let header = try ProtectedHeader(parsing: #"{"alg":"\#(name)"}"#.utf8.span)
        #expect(header.algorithmName == name)
        #expect(header.algorithm == nil)
    }

    @Test(arguments: [
        "", " ", "[]", #"["alg"]"#, #""alg""#, "null", "1", "{", #"{"alg":"RS256"}x"#, #"{"alg":"RS256"}{}"#,
        "\u{FEFF}{\"alg\":\"RS256\"}",
        #"{"alg":"RS256","alg":"none"}"#, #"{"alg":"none","alg":"RS256"}"#, #"{"a\u006cg":"none","alg":"RS256"}"#,
        #"{"alg":"RS256","kid":"a","kid":"a"}"#, #"{"alg":"RS256\u0000"}"#, #"{"alg":'RS256'}"#,
    ])
    func `a header that is not exactly one strict JSON object is refused`(json: String) {
        #expect(Self.rejection(of: json) == .notJSONObject)
    }

    @Test func `a header of 2,048 bytes is read, and one of 2,049 is refused`() {
        let start = #"{"alg":"RS256","x":""#
        let fill = { (length: Int) in start + String(repeating: "x", count: length - start.utf8.count - 2) + "\"}" }
        #expect(fill(2048).utf8.count == 2048)
        #expect(Self.rejection(of: fill(2048)) == nil)
        #expect(Self.rejection(of: fill(2049)) == .notJSONObject)
    }

    @Test func `the members of a header are limited by its bytes, and its nesting to 64 levels (T089)`() {
        let header = { (count: Int) in
            #"{"alg":"RS256""# + (1..<count).map { number in ",\"\(number)\":0" }.joined() + "}"
        }
        #expect(Self.rejection(of: header(129)) == nil)
        #expect(Self.rejection(of: header(300)) == .notJSONObject)
        let nested = { (depth: Int) in
            #"{"alg":"RS256","jwk":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                + "}"
        }
        #expect(Self.rejection(of: nested(63)) == nil)
        #expect(Self.rejection(of: nested(64)) == .notJSONObject)
    }

    @Test(arguments: [
        #""jku":"http://127.0.0.1/""#, #""jku":7"#, #""x5u":null"#, #""x5u":"ims_key-1.cer""#,
        #""jwk":{"kty":"RSA","n":"AQAB","e":"Aw"}"#,
        #""jwk":"none""#, #""x5c":["MIIC"]"#, #""x5c":[]"#, #""x5c":"MIIC""#, #""x5t":["a"]"#, #""x5t#S256":null"#,
    ])
    func `header members that carry a key are ignored in any form (T078)`(members: String) throws {
        for json in [#"{"alg":"RS256","kid":"k1",\#(members)}"#, #"{\#(members),"kid":"k1","alg":"RS256"}"#] {
            let header = try ProtectedHeader(parsing: json.utf8.span)
            #expect(header == (try ProtectedHeader(parsing: #"{"alg":"RS256","kid":"k1"}"#.utf8.span)))
        }
        #expect(Self.rejection(of: #"{"alg":"RS256",\#(members),\#(members)}"#) == .notJSONObject)
        #expect(Self.rejection(of: #"{"alg":"none",\#(members),"crit":["jwk"]}"#) == .critical)
    }

    @Test(arguments: [
        "{}", #"{"alg":null}"#, #"{"alg":7}"#, #"{"alg":["RS256"]}"#, #"{"alg":{}}"#, #"{"ALG":"RS256"}"#,
    ])
    func `a header without a string as alg is refused`(json: String) {
        #expect(Self.rejection(of: json) == .algorithmMissing)
    }

    @Test(
        arguments: [
            (#""crit":["foo"],"foo":1"#, .critical), (#""crit":[]"#, .critical), (#""crit":"foo""#, .critical),
            (#""crit":["alg"]"#, .critical),
            (#""crit":["exp"]"#, .critical), (#""crit":["a","a"],"a":1"#, .critical), (#""crit":null"#, .critical),
            (#""b64":false,"crit":["b64"]"#, .critical), (#""b64":false"#, .unencodedPayload),
            (#""b64":true"#, .unencodedPayload),
            (#""zip":"DEF""#, .compressed), (#""zip":null"#, .compressed),
            (#""cty":"JWT""#, .nested), (#""cty":"jwt""#, .nested), (#""cty":"application/jwt""#, .nested),
            (#""cty":"Application/JWT""#, .nested),
            (#""enc":"A128GCM""#, .encrypted), (#""enc":null"#, .encrypted),
            (#""kid":7"#, .keyIDInvalid), (#""kid":null"#, .keyIDInvalid), (#""kid":["k"]"#, .keyIDInvalid),
            (#""kid":{}"#, .keyIDInvalid),
            (#""kid":"""#, .keyIDInvalid),
            (#""typ":7"#, .typeInvalid), (#""typ":["at+jwt"]"#, .typeInvalid), (#""typ":null"#, .typeInvalid),
        ] as [(String, ProtectedHeaderRejection)])
    func `a forbidden header member is refused whatever its value`(members: String, expected: ProtectedHeaderRejection)
    {
        #expect(Self.rejection(of: #"{"alg":"RS256",\#(members)}"#) == expected)
        #expect(Self.rejection(of: #"{\#(members),"alg":"none"}"#) == expected)
    }

    @Test(arguments: [#""cty":"json""#, #""cty":"at+jwt""#, #""crit2":1"#, #""x5t":1"#, #""typ":"""#])
    func `an unknown header member is ignored`(members: String) {
        #expect(Self.rejection(of: #"{"alg":"RS256",\#(members)}"#) == nil)
    }

    @Test func `a key ID of 256 bytes is accepted, and one of 257 is refused`() {
        #expect(Self.rejection(of: #"{"alg":"RS256","kid":"\#(String(repeating: "é", count: 128))"}"#) == nil)
        #expect(
            Self.rejection(of: #"{"alg":"RS256","kid":"\#(String(repeating: "é", count: 128))x"}"#) == .keyIDInvalid)
    }
}
