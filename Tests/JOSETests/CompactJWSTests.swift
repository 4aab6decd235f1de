import JOSE
import Testing

struct CompactJWSTests {
    private static func rejection(of token: String) -> CompactJWSRejection? {
        do throws(CompactJWSRejection) {
            _ = try CompactJWS(token.utf8.span)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a compact JWS is split at its two dots`() throws {
        let jws = try CompactJWS("eyJh.cGF5.c2ln".utf8.span)
        #expect(jws.protectedHeader == 0..<4)
        #expect(jws.payload == 5..<9)
        #expect(jws.signature == 10..<14)
        #expect(jws.signingInput == 0..<9)
    }

    @Test func `a compact JWS with an empty signature is split like any other`() throws {
        let jws = try CompactJWS("eyJh.cGF5.".utf8.span)
        #expect(jws.signature == 10..<10)
    }

    @Test(
        arguments: [
            ("", .noDots), ("opaque", .noDots), ("opaque==", .noDots), ("op+q/e", .noDots),
            ("a.b", .tooFewParts), (".", .tooFewParts),
            ("a.b.c.d", .tooManyParts), ("a.b.c.d.e.f", .tooManyParts), ("...", .tooManyParts),
            ("a.b.c.d.e", .encrypted), ("a..c.d.e", .encrypted), ("....", .encrypted),
            (".b.c", .emptyPart), ("a..c", .emptyPart), ("..", .emptyPart), ("a..", .emptyPart),
            ("a=.b.c", .notBase64URL), ("a.b==.c", .notBase64URL), ("a.b.c=", .notBase64URL), ("a+.b.c", .notBase64URL),
            ("a.b/.c", .notBase64URL),
            ("a.b.c ", .notBase64URL), (" a.b.c", .notBase64URL), ("a.b\t.c", .notBase64URL),
            ("a%2eb.c.d", .notBase64URL),
            ("a.b.c\u{0}", .notBase64URL), ("a.b.ç", .notBase64URL), ("a.b\n.c", .notBase64URL),
            (#"{"payload":"x"}"#, .noDots),
        ] as [(String, CompactJWSRejection)])
    func `text that is no compact JWS is refused with its reason`(token: String, expected: CompactJWSRejection) {
        #expect(Self.rejection(of: token) == expected)
    }

    @Test func `eight thousand dots are too many parts`() {
        #expect(Self.rejection(of: String(repeating: ".", count: 8000)) == .tooManyParts)
    }
}
