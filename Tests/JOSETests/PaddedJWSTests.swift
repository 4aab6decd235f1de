import JOSE
import Testing

/// Parts of a token with padding, which one issuer writes.
@Suite struct PaddedJWSTests {
    private static func rejection(of token: String, _ padding: CompactJWS.Padding) -> CompactJWSRejection? {
        do throws(CompactJWSRejection) {
            _ = try CompactJWS(token.utf8.span, padding: padding)
            return nil
        } catch {
            return error
        }
    }

    @Test func `padding belongs to the signing input and not to the parts`() throws {
        let jws = try CompactJWS("eyJh.cGF5bA==.c2lnbnM=".utf8.span, padding: .accepted)
        #expect(jws.protectedHeader == 0..<4)
        #expect(jws.payload == 5..<11)
        #expect(jws.signature == 14..<21)
        #expect(jws.signingInput == 0..<13)
        #expect(jws.isPadded)
    }

    @Test(arguments: [
        "eyJh.cGF5.c2ln", "eyJh.cGF5bA.c2lnbnM", "eyJh.cGF5bA==.c2lnbnM", "eyJh.cGF5bA.c2lnbnM=", "eyJh.cGF5.",
    ])
    func `a part may have the padding that its length needs, or none`(token: String) throws {
        #expect(Self.rejection(of: token, .accepted) == nil)
        let jws = try CompactJWS(token.utf8.span, padding: .accepted)
        #expect(jws.isPadded == token.contains("="))
    }

    @Test(arguments: ["eyJh.cGF5bA==.c2ln", "eyJhYg==.cGF5.c2ln", "eyJh.cGF5.c2lnbnM="])
    func `without permission, padding is not base64url`(token: String) {
        #expect(Self.rejection(of: token, .refused) == .notBase64URL)
        #expect(Self.rejection(of: token, .accepted) == nil)
    }

    @Test(arguments: [
        // Too much, too little, or for a length that needs none.
        "eyJh.cGF5bA===.c2ln", "eyJh.cGF5bA=.c2ln", "eyJh.cGF5bGE==.c2ln", "eyJh.cGF5====.c2ln", "eyJh.cGF5=.c2ln",
        "eyJh.cGF5a===.c2ln", "eyJh.cGF5a.c2ln",
        // Elsewhere than at the end.
        "eyJh.cG=5bA==.c2ln", "=yJh.cGF5.c2ln", "eyJh.cGF5.=", "eyJh.cGF5.==", "eyJh.====.c2ln", "ey==Jh.cGF5.c2ln",
        // Other alphabets.
        "eyJh.cGF+bA==.c2ln", "eyJh.cGF5bA==.c2/n", "eyJh.cGF5bA== .c2ln", "eyJh.cGF5bA%3D%3D.c2ln",
    ])
    func `padding in the wrong place or number is refused`(token: String) {
        #expect(Self.rejection(of: token, .accepted) == .notBase64URL)
    }

    @Test(arguments: [
        ("opaque==", CompactJWSRejection.noDots), ("a=.b", .tooFewParts), ("a.b.c.d=", .tooManyParts),
        ("a.b.c.d.e==", .encrypted), (".b=.c", .emptyPart), ("a=..c", .emptyPart),
    ])
    func `other faults are the same with permission for padding`(token: String, expected: CompactJWSRejection) {
        #expect(Self.rejection(of: token, .accepted) == expected)
        #expect(Self.rejection(of: token, .refused) == expected)
    }

    @Test func `a padded token is read whatever the length of its parts`() throws {
        for length in 1...40 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            let text = Base64URL.encode(bytes)
            let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            let token = Array("\(padded).\(padded).\(padded)".utf8)
            let jws = try CompactJWS(token.span, padding: .accepted)
            for part in [jws.protectedHeader, jws.payload, jws.signature] {
                #expect(Base64URL.decode(token.span.extracting(part)) == bytes)
            }
            #expect(jws.signingInput == 0..<(2 * padded.utf8.count + 1))
        }
    }
}
