/// An RSA modulus and exponent within Bearward's limits, as unsigned big-endian numbers without leading zeros.
struct RSAPublicKey: Sendable, Hashable {
    let modulus: [UInt8]
    let exponent: [UInt8]

    static let modulusBits = 2048...8192

    init(modulus encoded: [UInt8], exponent encodedExponent: [UInt8]) throws(JSONWebKeyRejection) {
        exponent = try Self.checkedExponent(encodedExponent)
        modulus = try Self.checkedModulus(encoded)
    }

    private static func checkedModulus(_ encoded: [UInt8]) throws(JSONWebKeyRejection) -> [UInt8] {
        // RFC 7518 §6.3.1.1 forbids the zero byte of a signed encoding. Many issuers write it, so one is accepted.
        let modulus = encoded.first == 0 ? Array(encoded.dropFirst()) : encoded
        guard let first = modulus.first, first != 0, let last = modulus.last, last & 1 == 1 else {
            throw .modulusInvalid
        }
        let bits = modulus.count &* 8 &- first.leadingZeroBitCount
        if bits < modulusBits.lowerBound { throw .modulusTooShort }
        if bits > modulusBits.upperBound { throw .modulusTooLong }
        if ROCAFingerprint.matches(modulus) { throw .modulusWeak }
        return modulus
    }

    private static func checkedExponent(_ encoded: [UInt8]) throws(JSONWebKeyRejection) -> [UInt8] {
        let exponent = Array(encoded.drop { byte in byte == 0 })
        guard exponent.count <= 4, let last = exponent.last, last & 1 == 1, exponent != [1] else {
            throw .exponentInvalid
        }
        return exponent
    }
}
