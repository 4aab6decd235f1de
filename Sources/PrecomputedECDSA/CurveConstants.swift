import COpenSSL

/// Numbers of one curve. Any thread may read them.
@safe final class CurveConstants: @unchecked Sendable {
    // SAFETY: nothing writes the numbers after `init`, and `space` makes no further ones.
    let curve: PrimeCurve
    let group: CurveGroup
    /// Prime of the field.
    let prime: Number
    /// Order of the group.
    let order: Number
    /// Greatest number that stays below the prime when the order is added, plus 1.
    let primeLessOrder: Number
    /// The order as words.
    let orderWords: AlmostInverse.Words
    /// Montgomery form of 1.
    let one: Number
    /// Montgomery form of the curve's coefficient `a`.
    let coefficient: Number
    let primeReduction: Reduction
    let orderReduction: Reduction
    private let space: NumberSpace

    /// Owner of what libcrypto needs for Montgomery multiplications with one modulus.
    @safe final class Reduction {
        let pointer: OpaquePointer

        init?() {
            guard let made = unsafe BN_MONT_CTX_new() else { return nil }
            unsafe pointer = made
        }

        deinit {
            unsafe BN_MONT_CTX_free(pointer)
        }
    }

    private static let p256 = CurveConstants(.p256)
    private static let p384 = CurveConstants(.p384)
    private static let p521 = CurveConstants(.p521)

    /// The constants of a curve. Nil if libcrypto does not have it, or failed.
    static func of(_ curve: PrimeCurve) -> CurveConstants? {
        switch curve {
        case .p256: p256
        case .p384: p384
        case .p521: p521
        }
    }

    private init?(_ curve: PrimeCurve) {
        defer { ERR_clear_error() }
        guard let group = CurveGroup(curve), let space = NumberSpace(), let prime = space.number(),
            let order = space.number(), let primeLessOrder = space.number(), let one = space.number(),
            let coefficient = space.number(), let primeReduction = Reduction(),
            let orderReduction = Reduction()
        else { return nil }
        let context = unsafe space.context
        let isDone =
            unsafe EC_GROUP_get_curve(group.pointer, prime.pointer, coefficient.pointer, nil, context) == 1
            && EC_GROUP_get_order(group.pointer, order.pointer, context) == 1
            && BN_sub(primeLessOrder.pointer, prime.pointer, order.pointer) == 1
            && BN_MONT_CTX_set(primeReduction.pointer, prime.pointer, context) == 1
            && BN_MONT_CTX_set(orderReduction.pointer, order.pointer, context) == 1
            && BN_set_word(one.pointer, 1) == 1
            && BN_to_montgomery(one.pointer, one.pointer, primeReduction.pointer, context) == 1
            && BN_to_montgomery(coefficient.pointer, coefficient.pointer, primeReduction.pointer, context) == 1
        guard isDone, let orderWords = order.words else { return nil }
        (self.curve, self.group, self.prime, self.order) = (curve, group, prime, order)
        (self.primeLessOrder, self.orderWords, self.one, self.coefficient) = (
            primeLessOrder, orderWords, one, coefficient
        )
        (self.primeReduction, self.orderReduction, self.space) = (primeReduction, orderReduction, space)
    }
}
