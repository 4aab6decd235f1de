import AssumedTokens
import JOSE
import Testing
import TokenVerification

struct AssumedTokenTests {
    @Test(arguments: [
        ("RS256", 342), ("PS512", 342), ("ES256", 86), ("ES384", 128), ("ES512", 176), ("EdDSA", 86), ("Ed448", 152),
    ])
    func `an assumed token has a third part of all zeros, as long as a signature`(algorithm: String, length: Int) throws
    {
        let token = AssumedToken(algorithm: algorithm, type: "at+jwt", keyID: "k", claims: Array("{}".utf8))
        let parts = token.compact.split(separator: ".")
        #expect(parts.count == 3)
        #expect(parts.last.map { $0.utf8.count } == length)
        #expect(parts.last.map { $0.allSatisfy { $0 == "A" } } == true)
        let bytes = Array(token.compact.utf8)
        let read = UnverifiedToken.header(of: bytes.span)
        let header = try #require(read)
        #expect(header.type == "at+jwt")
        #expect(header.keyID == "k")
        #expect(header.algorithmName == algorithm)
    }

    @Test func `a header or payload that is no JSON is put into the token unchanged`() {
        let token = AssumedToken(header: Array("{".utf8), claims: [0xFF])
        let bytes = Array(token.compact.utf8)
        let hasHeader = UnverifiedToken.header(of: bytes.span) != nil
        let hasClaims = UnverifiedToken.claims(of: bytes.span) != nil
        let isCompact = (try? CompactJWS(bytes.span)) != nil
        #expect(!hasHeader)
        #expect(!hasClaims)
        #expect(isCompact)
    }
}
