import StrictJSON
import Testing
import TokenVerification

@Suite struct ClaimScalarTests {
    @Test(arguments: [
        (ClaimScalar.integer(9_007_199_254_740_993), "9007199254740993", true),
        (.integer(9_007_199_254_740_993), "9007199254740992.0", false),
        (.integer(9_007_199_254_740_992), "9007199254740992.0", true), (.integer(1), "1.0", true),
        (.integer(1), "1.5", false),
        (.integer(1), "true", false), (.integer(1), #""1""#, false), (.real(1.5), "1.5", true), (.real(1), "1", true),
        (.real(1.5), "1", false),
        (.boolean(true), "true", true), (.boolean(true), "1", false), (.boolean(true), #""true""#, false),
        (.string("a"), #""a""#, true),
        (.string("a"), #""A""#, false), (.string("a"), #"["b","a"]"#, true), (.string("a"), #"[["a"]]"#, false),
        (.string("a"), "null", false),
        (.string("a"), #"{"a":"a"}"#, false),
        (.integer(.max), "9223372036854775807", true), (.integer(.max), "9223372036854775808", false),
        (.integer(.min), "-9223372036854775808", true), (.integer(.min), "-9223372036854775809", false),
        (.real(18_446_744_073_709_551_616), "18446744073709551616", false),
        (.real(18_446_744_073_709_551_616), "18446744073709551616.0", true),
        (.real(1e20), "1e20", true), (.real(.greatestFiniteMagnitude), String(repeating: "9", count: 400), false),
        (.string("18446744073709551616"), "18446744073709551616", false), (.integer(0), "-0", true),
        (.real(0), "-0", true),
    ])
    func `a claim equals a required value only with the same type and value`(
        _ scalar: ClaimScalar, _ json: String, _ isHeld: Bool
    ) throws {
        let document = try JSONDocument(parsing: Array("[\(json)]".utf8).span, limits: .claimsSet)
        let claim = try #require(document.root[index: 0])
        #expect(scalar.isHeld(by: claim) == isHeld)
    }

    @Test func `an integer beyond 64 bits differs from every integer, and is not comparable with a real`()
        throws
    {
        let claim = try #require(
            try JSONDocument(parsing: Array("[18446744073709551616]".utf8), limits: .claimsSet).root[index: 0])
        #expect(ClaimChoice(values: [.integer(7)]).isExcluded(by: claim))
        #expect(!ClaimChoice(values: [.real(18_446_744_073_709_551_616)]).isExcluded(by: claim))
        #expect(!ClaimChoice(values: [.string("7")]).isExcluded(by: claim))
    }

    @Test func `a required integer of an identifying claim is compared as its digits`() throws {
        #expect(ClaimScalar.integer(7).asRead(at: ClaimPath(member: "sub")) == .string("7"))
        #expect(ClaimScalar.integer(7).asRead(at: try ClaimPath("/client_id")) == .string("7"))
        #expect(ClaimScalar.integer(7).asRead(at: try ClaimPath("act.sub")) == .integer(7))
        #expect(ClaimScalar.integer(7).asRead(at: ClaimPath(member: "level")) == .integer(7))
        #expect(ClaimScalar.real(7).asRead(at: ClaimPath(member: "sub")) == .real(7))
    }

    @Test func `required values and claim names are compared by their bytes`() throws {
        #expect(ClaimScalar.string("caf\u{e9}") != .string("cafe\u{301}"))
        #expect(ClaimScalar.string("caf\u{e9}") == .string("caf\u{e9}"))
        #expect(ClaimScalar.integer(1) != .real(1))
        #expect(ClaimPath(member: "caf\u{e9}") != ClaimPath(member: "cafe\u{301}"))
        #expect(ClaimPath(member: "a.b") != (try ClaimPath("a.b")))
    }
}
