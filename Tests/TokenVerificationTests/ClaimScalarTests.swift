import StrictJSON
import Testing
import TokenVerification

@Suite struct ClaimScalarTests {
    @Test(arguments: [
        (ClaimScalar.integer(9_007_199_254_740_993), "9007199254740993", true),
        (.integer(9_007_199_254_740_993), "9007199254740992.0", false),
        (.integer(9_007_199_254_740_992), "9007199254740992.0", true), (.integer(1), "1.0", true), (.integer(1), "1.5", false),
        (.integer(1), "true", false), (.integer(1), #""1""#, false), (.real(1.5), "1.5", true), (.real(1), "1", true),
        (.real(1.5), "1", false),
        (.boolean(true), "true", true), (.boolean(true), "1", false), (.boolean(true), #""true""#, false), (.string("a"), #""a""#, true),
        (.string("a"), #""A""#, false), (.string("a"), #"["b","a"]"#, true), (.string("a"), #"[["a"]]"#, false),
        (.string("a"), "null", false),
        (.string("a"), #"{"a":"a"}"#, false),
    ])
    func `a value is held only by its own type and value`(_ scalar: ClaimScalar, _ json: String, _ isHeld: Bool) throws {
        let document = try JSONDocument(parsing: Array("[\(json)]".utf8).span, limits: .claimsSet)
        let claim = try #require(document.root[index: 0])
        #expect(scalar.isHeld(by: claim) == isHeld)
    }

    @Test func `values and names are told apart by their bytes`() throws {
        #expect(ClaimScalar.string("caf\u{e9}") != .string("cafe\u{301}"))
        #expect(ClaimScalar.string("caf\u{e9}") == .string("caf\u{e9}"))
        #expect(ClaimScalar.integer(1) != .real(1))
        #expect(ClaimPath(member: "caf\u{e9}") != ClaimPath(member: "cafe\u{301}"))
        #expect(ClaimPath(member: "a.b") != (try ClaimPath("a.b")))
    }
}
