import COpenSSL

/// Arithmetic modulo the prime of a curve, with numbers in Montgomery form. For one thread at a time.
///
/// A result may be written over an operand.
@safe struct PrimeField {
    private let constants: CurveConstants
    private let space: NumberSpace
    /// True once a function of libcrypto failed. Results from then on mean nothing.
    private(set) var hasFailed = false

    init(_ constants: CurveConstants, _ space: NumberSpace) {
        (self.constants, self.space) = (constants, space)
    }

    mutating func fail() { hasFailed = true }

    mutating func forgetFailure() { hasFailed = false }

    mutating func multiply(_ left: Number, _ right: Number, into result: Number) {
        note(
            unsafe BN_mod_mul_montgomery(
                result.pointer, left.pointer, right.pointer, constants.primeReduction.pointer, space.context))
    }

    mutating func square(_ number: Number, into result: Number) { multiply(number, number, into: result) }

    mutating func add(_ left: Number, _ right: Number, into result: Number) {
        note(unsafe BN_mod_add_quick(result.pointer, left.pointer, right.pointer, constants.prime.pointer))
    }

    mutating func subtract(_ right: Number, from left: Number, into result: Number) {
        note(unsafe BN_mod_sub_quick(result.pointer, left.pointer, right.pointer, constants.prime.pointer))
    }

    mutating func double(_ number: Number, into result: Number) {
        note(unsafe BN_mod_lshift1_quick(result.pointer, number.pointer, constants.prime.pointer))
    }

    /// Negates a number that is not zero.
    mutating func negate(_ number: Number) {
        note(unsafe BN_sub(number.pointer, constants.prime.pointer, number.pointer))
    }

    mutating func copy(_ number: Number, into result: Number) {
        if unsafe BN_copy(result.pointer, number.pointer) == nil { fail() }
    }

    /// Brings a number below the prime into Montgomery form.
    mutating func toMontgomery(_ number: Number, into result: Number) {
        note(
            unsafe BN_to_montgomery(
                result.pointer, number.pointer, constants.primeReduction.pointer, space.context))
    }

    private mutating func note(_ result: Int32) {
        if result != 1 { fail() }
    }
}

extension Number {
    var isZero: Bool { unsafe BN_is_zero(pointer) == 1 }

    func setZero() { unsafe BN_zero_ex(pointer) }

    /// Compares numbers that are not negative.
    static func < (left: Number, right: Number) -> Bool { unsafe BN_ucmp(left.pointer, right.pointer) < 0 }

    static func == (left: Number, right: Number) -> Bool { unsafe BN_cmp(left.pointer, right.pointer) == 0 }
}
