/// HMAC with SHA-256 (RFC 2104, FIPS 180-4), for the one token that is signed with a shared secret.
///
/// In Swift, because no module that this one may use offers it; no key set has a key for it. Neither fast nor constant
/// in time.
enum HMACSHA256 {
    private static let blockSize = 64

    static func tag(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > blockSize ? SHA256Digest.of(key) : key
        block += repeatElement(0, count: blockSize - block.count)
        let inner = SHA256Digest.of(block.map { byte in byte ^ 0x36 } + message)
        return SHA256Digest.of(block.map { byte in byte ^ 0x5C } + inner)
    }
}
