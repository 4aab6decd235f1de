import Testing
import TokenVerification

@Suite struct BearerSchemeTests {
    @Test(arguments: [
        ("Bearer abc", BearerCredentials.token(7..<10)), ("bearer abc", .token(7..<10)), ("bEaReR abc", .token(7..<10)),
        ("Bearer   abc", .token(9..<12)), ("Bearer abc \t", .token(7..<10)), ("Bearer a=b", .token(7..<10)),
        ("Bearer", .malformed), ("Bearer ", .malformed), ("Bearer\tabc", .malformed), ("Bearer abc def", .malformed),
        ("Bearer abc, Bearer def", .malformed), ("Bearer \"abc\"", .malformed), ("Bearer <abc>", .malformed),
        ("Bearer abc;x=1", .malformed), ("Bearer abc,", .malformed), ("Bearer {\"payload\":1}", .malformed),
        ("", .absent), ("Basic abc", .absent), ("Basic Bearer abc", .absent), ("xBearer abc", .absent),
        ("Bearerx abc", .absent),
        ("Bearer:abc", .absent), ("Bearer=abc", .absent), ("DPoP abc", .absent), ("Beare", .absent),
    ])
    func `the Bearer scheme's syntax decides what is a token`(_ value: String, _ expected: BearerCredentials) {
        #expect(BearerCredentials(Array(value.utf8).span) == expected)
    }

    @Test func `each of the 256 bytes is token68 or refused`() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=".utf8)
        for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") {
            let credentials = BearerCredentials((Array("Bearer a".utf8) + [byte, UInt8(ascii: "b")]).span)
            #expect(credentials == (allowed.contains(byte) ? .token(7..<10) : .malformed), "\(byte)")
        }
    }

    @Test func `a challenge is quoted and free of characters that break naive parsers`() {
        var challenge = BearerChallenge(realm: "a\"b,c=d\\é", error: .insufficientScope, errorDescription: "x, y = z")
        challenge.scope = "read write"
        #expect(
            challenge.fieldValue
                == #"Bearer realm="abcd", error="insufficient_scope", error_description="x y  z", scope="read write""#)
    }

    @Test func `a challenge names the requirements for a fresh sign-in`() {
        var challenge = BearerChallenge(realm: "api", error: .insufficientUserAuthentication)
        challenge.maxAge = 300
        challenge.acrValues = "gold"
        #expect(
            challenge.fieldValue
                == #"Bearer realm="api", error="insufficient_user_authentication", max_age="300", acr_values="gold""#)
    }
}
