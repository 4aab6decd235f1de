/// Recognises moduli made by the faulty generator of CVE-2017-15361 (ROCA), whose factors can be found.
///
/// The generator's primes are k·M + (65537^a mod M), with M the product of small primes. So a modulus is a power of
/// 65537 modulo each of these small primes. A sound modulus matches by chance about once in 10^8.
enum ROCAFingerprint {
    static func matches(_ modulus: [UInt8]) -> Bool {
        primes.allSatisfy { prime in isPowerOfGenerator(remainder(of: modulus, by: prime), modulo: prime) }
    }

    private static func remainder(of modulus: [UInt8], by prime: UInt32) -> UInt32 {
        modulus.reduce(0) { rest, byte in (rest &<< 8 | UInt32(byte)) % prime }
    }

    private static func isPowerOfGenerator(_ value: UInt32, modulo prime: UInt32) -> Bool {
        let generator = 65537 % prime
        var power: UInt32 = 1
        repeat {
            if power == value { return true }
            power = power &* generator % prime
        } while power != 1
        return false
    }

    /// The odd primes that divide every M of the generator.
    private static let primes: [UInt32] = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
        113, 127,
        131, 137, 139, 149, 151, 157, 163, 167,
    ]
}
