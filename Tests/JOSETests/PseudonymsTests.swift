import JOSE
import Testing

@Suite struct PseudonymsTests {
    /// RFC 4231 §4.2, §4.4 and §4.7: test cases 1, 3 and 6.
    @Test(arguments: [
        (
            Array(repeating: UInt8(0x0b), count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array(repeating: 0xaa, count: 20), Array(repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `a pseudonym is the HMAC of the text with the secret`(secret: [UInt8], text: [UInt8], expected: String) throws
    {
        let pseudonyms = try #require(Pseudonyms(secret: secret))
        let pseudonym = pseudonyms.pseudonym(of: text.span)
        #expect(pseudonym.map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test func `a text has the same pseudonym each time, and different ones under random secrets`() throws {
        let (one, other) = (try #require(Pseudonyms()), try #require(Pseudonyms()))
        let text = Array("ada".utf8)
        let (first, again, foreign) = (
            one.pseudonym(of: text.span), one.pseudonym(of: text.span), other.pseudonym(of: text.span)
        )
        #expect(first != nil && first == again)
        #expect(first != foreign)
    }

    @Test func `a pseudonym secret shorter than 16 bytes is refused`() {
        #expect(Pseudonyms(secret: Array(repeating: 1, count: 15)) == nil)
        #expect(Pseudonyms(secret: Array(repeating: 1, count: 16)) != nil)
    }
}
