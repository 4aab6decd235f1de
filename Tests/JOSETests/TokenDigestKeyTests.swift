import Testing

@testable import JOSE

@Suite struct TokenDigestKeyTests {
    /// RFC 4231 §4.2 to §4.8, without §4.6, which is about truncation.
    static let vectors: [(key: [UInt8], data: [UInt8], digest: String)] = [
        (repeated(0x0B, 20), Array("Hi There".utf8), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (repeated(0xAA, 20), repeated(0xDD, 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (Array(0x01...0x19), repeated(0xCD, 50), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        (
            repeated(0xAA, 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            repeated(0xAA, 131),
            Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. \
                The key needs to be hashed before being used by the HMAC algorithm.
                """.utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    private static func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    @Test(arguments: vectors) func `the digest is HMAC-SHA-256 as RFC 4231 gives it, however often it is taken`(
        vector: (key: [UInt8], data: [UInt8], digest: String)
    ) throws {
        let key = try #require(TokenDigestKey(secretBytes: vector.key))
        for _ in 0..<3 {
            let digest = try #require(key.digest(ofBytes: vector.data))
            #expect(hexadecimal(digest.bytes) == vector.digest)
        }
    }

    @Test func `equal tokens have equal digests, and a token that differs in one bit has another`() throws {
        let key = try #require(TokenDigestKey())
        let token = Array("kX2m9vTqLr8WbN5cYd1Zs7UeA0gFo4HnMj3PiQwEtRy".utf8)
        let digest = try #require(key.digest(ofBytes: token))
        #expect(key.digest(ofBytes: token) == digest)
        for index in token.indices {
            var other = token
            other[index] ^= 1
            #expect(key.digest(ofBytes: other) != digest)
        }
        let empty: [UInt8] = []
        #expect(key.digest(ofBytes: empty) != nil)
        #expect(key.digest(ofBytes: empty) != digest)
    }

    @Test func `two keys give one token two digests`() throws {
        let keys = try (#require(TokenDigestKey()), #require(TokenDigestKey()))
        let token = Array("token".utf8)
        let digests = try (#require(keys.0.digest(ofBytes: token)), #require(keys.1.digest(ofBytes: token)))
        #expect(digests.0 != digests.1)
        // The words that are not hashed count when digests are compared.
        #expect(digests.0.bytes.count == 32)
    }

    @Test func `digests that share the hashed word are still told apart`() {
        let one = TokenDigest(words: [1, 2, 3, 4])
        #expect(one == TokenDigest(words: [1, 2, 3, 4]))
        #expect(one != TokenDigest(words: [1, 0, 3, 4]))
        #expect(one != TokenDigest(words: [1, 2, 0, 4]))
        #expect(one != TokenDigest(words: [1, 2, 3, 0]))
        #expect(one.hashValue == TokenDigest(words: [1, 0, 0, 0]).hashValue)
    }

    @Test func `many tasks digest at once and agree`() async throws {
        let key = try #require(TokenDigestKey())
        let tokens = (0..<64).map { index in Array("token-\(index)".utf8) }
        let expected = tokens.map { token in key.digest(ofBytes: token) }
        #expect(Set(expected).count == 64)
        await withTaskGroup(of: [TokenDigest?].self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<100).flatMap { _ in tokens.map { token in key.digest(ofBytes: token) } } }
            }
            for await digests in group {
                #expect(digests == (0..<100).flatMap { _ in expected })
            }
        }
    }
}

// The expectation macros take no spans.
extension TokenDigestKey {
    fileprivate convenience init?(secretBytes: [UInt8]) {
        self.init(secret: secretBytes.span)
    }

    fileprivate func digest(ofBytes bytes: [UInt8]) -> TokenDigest? {
        digest(of: bytes.span)
    }
}
