import Testing

@testable import JOSE

@Suite struct TokenDigestKeyTests {
    /// From Python: `hashlib.sha256(secret + bytes(32) + token).hexdigest()`, for lengths around those that need
    /// another block of padding.
    static let vectors: [(secret: [UInt8], token: [UInt8], digest: String)] = [
        (Array(0..<32), [], "5576ce645abbf23973c63a02b3cdb0efc8ed3c9bd7dac3845f6b9ad6820b4bde"),
        (Array(0..<32), Array("Hi There".utf8), "7b6c5f64c88512440fa56b40b0a54b7f25b3abf6c356600f4d9b1094596367b0"),
        (Array(0..<32), repeated(0x61, 55), "6c4101b6a1d7284b5dfcaa598b5f13a7ca8b06ca990ddc1b24f36198768420fb"),
        (Array(0..<32), repeated(0x61, 56), "a5aafdaa19bac0269015483d5d219c4700dc4c7c11cd0d2b95186d6a59e7bdfd"),
        (repeated(0xAA, 32), repeated(0x62, 64), "965afba4d580face199bc44f0dd6b6eed13dfaa86922c857564145a47811ede5"),
        (repeated(0xFF, 32), counting(to: 800), "89747d56d5e8573d557bb9a452f7c4208fede598f9766e4594d80979020f20c4"),
        (repeated(0, 32), counting(to: 2048), "e718ed84bbfb354e7d1afbb911d5ab5efa2f230d0581d964df0b66619de3a201"),
    ]

    /// Bytes that count up modulo 251.
    private static func counting(to count: Int) -> [UInt8] { (0..<count).map { index in UInt8(index % 251) } }

    private static func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    @Test(arguments: vectors)
    func `a token digest is SHA-256 over the secret's block and the token, however often it is computed`(
        vector: (secret: [UInt8], token: [UInt8], digest: String)
    ) throws {
        let key = try #require(TokenDigestKey(secretBytes: vector.secret))
        for _ in 0..<3 {
            let digest = try #require(key.digest(ofBytes: vector.token))
            #expect(hexadecimal(digest.bytes) == vector.digest)
        }
    }

    @Test func `a digest secret must have exactly 32 bytes`() {
        #expect(TokenDigestKey(secretBytes: Self.repeated(1, 31)) == nil)
        #expect(TokenDigestKey(secretBytes: Self.repeated(1, 32)) != nil)
        #expect(TokenDigestKey(secretBytes: Self.repeated(1, 33)) == nil)
    }

    @Test func `equal tokens have equal digests, and one changed bit changes the digest`() throws {
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

    @Test func `a token has different digests under different keys, so clients cannot plan collisions (T385)`()
        throws
    {
        let keys = try (#require(TokenDigestKey()), #require(TokenDigestKey()))
        let token = Array("token".utf8)
        let digests = try (#require(keys.0.digest(ofBytes: token)), #require(keys.1.digest(ofBytes: token)))
        #expect(digests.0 != digests.1)
        // The words outside the hash are compared too.
        #expect(digests.0.bytes.count == 32)
    }

    @Test func `digests with the same hash value are compared by all their words`() {
        let one = TokenDigest(words: [1, 2, 3, 4])
        #expect(one == TokenDigest(words: [1, 2, 3, 4]))
        #expect(one != TokenDigest(words: [1, 0, 3, 4]))
        #expect(one != TokenDigest(words: [1, 2, 0, 4]))
        #expect(one != TokenDigest(words: [1, 2, 3, 0]))
        #expect(one.hashValue == TokenDigest(words: [1, 0, 0, 0]).hashValue)
    }

    @Test func `concurrent tasks compute the same digests`() async throws {
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

// The expectation macros accept no spans.
extension TokenDigestKey {
    fileprivate convenience init?(secretBytes: [UInt8]) {
        self.init(secret: secretBytes.span)
    }

    fileprivate func digest(ofBytes bytes: [UInt8]) -> TokenDigest? {
        digest(of: bytes.span)
    }
}
