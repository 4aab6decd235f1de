import Testing
import TokenVerification

@Suite struct BearerSchemeTests {
    @Test(arguments: [
        ("Bearer abc", BearerCredentials.token(7..<10)), ("bearer abc", .token(7..<10)), ("bEaReR abc", .token(7..<10)),
        ("Bearer   abc", .token(9..<12)), ("Bearer abc \t", .token(7..<10)), ("Bearer a=b", .token(7..<10)),
        ("Bearer", .malformed), ("Bearer ", .malformed), ("Bearer\tabc", .malformed), ("Bearer abc def", .malformed),
        ("Bearer abc, Bearer def", .malformed), ("Bearer \"abc\"", .malformed), ("Bearer <abc>", .malformed),
        ("Bearer abc;x=1", .malformed), ("Bearer abc,", .malformed), ("Bearer {\"payload\":1}", .malformed),
        ("", .absent), ("Basic abc", .absent), ("Basic Bearer abc", .absent), ("xBearer abc", .absent), ("Bearerx abc", .absent),
        ("Bearer:abc", .absent), ("Bearer=abc", .absent), ("DPoP abc", .absent), ("Beare", .absent),
    ])
    func `the scheme's syntax decides what is a token`(_ value: String, _ expected: BearerCredentials) {
        #expect(BearerCredentials(Array(value.utf8).span) == expected)
    }

    @Test func `a challenge is quoted and free of what breaks naive parsers`() {
        var challenge = BearerChallenge(realm: "a\"b,c=d\\é", error: .insufficientScope, errorDescription: "x, y = z")
        challenge.scope = "read write"
        #expect(challenge.fieldValue == #"Bearer realm="abcd", error="insufficient_scope", error_description="x y  z", scope="read write""#)
    }

    @Test func `a challenge names what a fresh sign-in must have`() {
        var challenge = BearerChallenge(realm: "api", error: .insufficientUserAuthentication)
        challenge.maxAge = 300
        challenge.acrValues = "gold"
        #expect(challenge.fieldValue == #"Bearer realm="api", error="insufficient_user_authentication", max_age="300", acr_values="gold""#)
    }
}
