import JOSE
import TestSupport
import Testing
import TokenVerification

/// Messages for an operator about malformed tokens: the first fault, by part and byte, and never a value.
struct TokenFaultTests {
    private static func fault(_ token: String) -> String? { TokenFault(of: Array(token.utf8).span)?.description }

    private static func token(header: String = #"{"alg":"RS256","kid":"k1","typ":"at+jwt"}"#, claims: String = "{}")
        -> String
    {
        [header, claims, "signature"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    }

    @Test(arguments: [
        ("a.b", "2 parts instead of 3"), ("a.b.c.d", "4 parts instead of 3"),
        ("a.b.c.d.e.f.g", "7 parts instead of 3"),
        (String(repeating: ".", count: 8000), "8001 parts instead of 3"),
        ("a.b.c.d.e", "5 parts instead of 3: this is an encrypted token (JWE)"), (".e30.e30", "part 1 is empty"),
        ("e30..", "part 2 is empty"),
        ("e30=.e30.e30", "part 1 is not base64url: padding at byte 4 of the token"),
        ("e30.e30.e30=", "part 3 is not base64url: padding at byte 12 of the token"),
        ("e30.e+0.e30", "part 2 is not base64url: `+`, which is of the standard alphabet, at byte 6 of the token"),
        ("e30.e30.e~0", "part 3 is not base64url: `~` at byte 10 of the token"),
        ("e30.e30e3.e30", "part 2 is not base64url: it has 5 characters, which is not a possible length"),
        ("e31.e30.e30", "part 1 is not base64url: the spare bits of its last character are not zero"),
    ])
    func `the fault of a token with a wrong compact form is named`(token: String, expected: String) {
        #expect(Self.fault(token) == expected)
    }

    @Test(arguments: [
        ("[]", "the header is not a JSON object but an array"), ("17", "the header is not a JSON object"),
        (" ", "the header contains only white space"),
        (#"{"alg":"RS256""#, "the header is not a JSON object: a fault at byte 14 of the header"),
        (#"{"alg":"RS256"}x"#, "the header has data after its JSON object: a fault at byte 16 of the header"),
        (#"{"alg":"RS256","alg":"none"}"#, "the header has the member `alg` twice"),
        (#"{"alg":"RS256","a\u006cg":"none"}"#, "the header has the member `alg` twice"),
        (#"{"alg":"RS256","\u202e`\n":1,"\u202e`\n":1}"#, "the header has the member `\\u202e`\\n` twice"),
        (#"{"alg":"RS256","kid":7}"#, "`kid` is a number, not text"),
        (#"{"alg":"RS256","kid":null}"#, "`kid` is null, not text"),
        (#"{"alg":"RS256","kid":""}"#, "`kid` is empty"),
        (
            #"{"alg":"RS256","kid":"\#(String(repeating: "k", count: 300))"}"#,
            "`kid` is 300 bytes long; accepted: at most 256"
        ),
        (#"{"alg":"RS256","typ":[]}"#, "`typ` is an array, not text"),
        (#"{"alg":"RS256","crit":null}"#, "the header has `crit`"),
        (#"{"alg":"RS256","b64":true}"#, "the header has `b64`"),
        (#"{"alg":"RS256","zip":"DEF"}"#, "the header has `zip`"),
        (#"{"alg":"RS256","enc":"A128GCM"}"#, "the header has `enc`"),
        (#"{"alg":"RS256","cty":"JWT"}"#, "`cty` declares that the claims are a token themselves (nested JWT)"),
        (#"{"alg":"RS256","x":"\#(String(repeating: "x", count: 2048))"}"#, "the header is longer than 2048 bytes"),
    ])
    func `the fault of a token with an invalid header is named`(header: String, expected: String) {
        #expect(Self.fault(Self.token(header: header)) == expected)
    }

    @Test(arguments: [
        ("[]", "the claims set is not a JSON object but an array"),
        (#"{"sub":"a","sub":"b"}"#, "the claims set has the member `sub` twice"),
        (String(repeating: "[", count: 65), "the claims set nests arrays and objects more than 64 deep"),
        ("\u{FEFF}{}", "the claims set begins with a byte order mark"),
        (#"{"a":1e400}"#, "the claims set has a number that is too large: a fault at byte 10 of the claims set"),
        (#"{"a":"\u0000"}"#, "the claims set has a zero character: a fault at byte 13 of the claims set"),
        (
            #"{"\#(String(repeating: "x", count: 70))":1,"\#(String(repeating: "x", count: 70))":2}"#,
            "the claims set has the member `\(String(repeating: "x", count: 64))…` twice"
        ),
    ])
    func `the fault of a token with invalid claims is named`(claims: String, expected: String) {
        #expect(Self.fault(Self.token(claims: claims)) == expected)
    }

    @Test func `a token with a valid form has no fault, nor has one with a bad alg, or an opaque token`() {
        #expect(Self.fault(TestToken.good.signed(by: TestKeys.rsa)) == nil)
        #expect(Self.fault("eyJhbGciOiJub25lIn0.e30.") == nil)
        #expect(Self.fault(Self.token(header: "{}")) == nil)
        #expect(Self.fault("opaque") == nil)
    }

    /// Compares the fault with the verifier: a fault exists exactly if it says `malformed`.
    @Test func `every malformed token has a fault, and no other token has`() {
        let good = TestToken.good.signed(by: TestKeys.rsa)
        var texts = good.indices.map { String(good[..<$0]) }
        for (offset, index) in good.indices.enumerated() {
            let letters: [Character] = ["A", "_", "=", ".", "~"]
            texts.append(good[..<index] + String(letters[offset % letters.count]) + good[good.index(after: index)...])
        }
        for text in texts {
            let verdict = TokenCase("", raw: text, nil).verdict()
            let isForm = verdict == .malformed || verdict == .unsupportedHeader
            #expect(!isForm || Self.fault(text) != nil, "\(text): \(String(describing: verdict))")
            // A token that is refused earlier may have further faults, which are not reported.
            if verdict == nil { #expect(Self.fault(text) == nil, "\(text)") }
        }
    }
}
