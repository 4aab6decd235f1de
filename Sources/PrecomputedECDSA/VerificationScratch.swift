import COpenSSL

/// Memory of one verification, which is used again. For one thread at a time.
@safe final class VerificationScratch: @unchecked Sendable {
    // SAFETY: leased to one caller at a time by `KeyTable`, which takes it from its list under a lock and puts it back
    // after use.
    private let constants: CurveConstants
    private let space: NumberSpace
    private let r: Number
    private let s: Number
    private let u1: Number
    private let u2: Number
    private let inverse: Number
    private var sum: PointSum
    private let generatorPart: CurvePoint
    private let keyPart: CurvePoint

    /// Nil if there is no memory.
    init?(_ constants: CurveConstants) {
        guard let space = NumberSpace(), let r = space.number(), let s = space.number(), let u1 = space.number(),
            let u2 = space.number(), let inverse = space.number(), let sum = PointSum(constants, space),
            let generatorPart = constants.group.point(),
            let keyPart = constants.group.point()
        else { return nil }
        (self.constants, self.space, self.r, self.s, self.u1, self.u2) = (constants, space, r, s, u1, u2)
        (self.inverse, self.sum, self.generatorPart, self.keyPart) = (inverse, sum, generatorPart, keyPart)
    }

    /// Checks a signature over a digest (FIPS 186-5 §6.4.2). Nil if libcrypto failed.
    func verify(_ signature: Span<UInt8>, _ digest: Span<UInt8>, with multiples: KeyTable.Multiples) -> Bool? {
        defer { ERR_clear_error() }
        let length = constants.curve.byteCount
        guard signature.count == 2 &* length else { return false }
        guard set(r, to: signature.extracting(first: length)), set(s, to: signature.extracting(last: length)) else {
            return nil
        }
        guard isScalar(r), isScalar(s) else { return false }
        guard setScalars(digest) else { return nil }
        switch multiples {
        case .tables(let generator, let key): return verify(generator, key)
        case .group(let group): return verify(group)
        }
    }

    /// True if the number is between 1 and the order less 1.
    private func isScalar(_ number: Number) -> Bool { !number.isZero && number < constants.order }

    private func set(_ number: Number, to bytes: Span<UInt8>) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe BN_bin2bn(bytes.baseAddress, Int32(clamping: bytes.count), number.pointer) != nil
        }
    }

    /// Sets u1 to the digest's leftmost bits and u2 to r, each divided by s. False if libcrypto failed, or if s times
    /// its inverse is not 1.
    private func setScalars(_ digest: Span<UInt8>) -> Bool {
        let (reduction, context) = unsafe (constants.orderReduction.pointer, space.context)
        let kept = digest.extracting(first: min(digest.count, constants.curve.byteCount))
        let surplus = Int32(clamping: max(0, 8 &* kept.count &- constants.curve.orderBitCount))
        return unsafe set(u1, to: kept) && BN_rshift(u1.pointer, u1.pointer, surplus) == 1 && setInverse()
            && BN_mod_mul_montgomery(u1.pointer, u1.pointer, inverse.pointer, reduction, context) == 1
            && BN_mod_mul_montgomery(u2.pointer, r.pointer, inverse.pointer, reduction, context) == 1
    }

    /// Sets `inverse` to the Montgomery form of 1/s modulo the order, and multiplies back. libcrypto's own inversion
    /// takes half of an ES256 verification.
    private func setInverse() -> Bool {
        guard let words = s.words else { return false }
        let (order, context) = unsafe (constants.order.pointer, space.context)
        let (reduction, power) = unsafe (constants.orderReduction.pointer, u2)
        // Twice the order may take one word more.
        let count = constants.curve.orderBitCount &>> 6 &+ 1
        let found = AlmostInverse(of: words, modulo: constants.orderWords, count: count)
        // The Montgomery form of a number is its product with 2^bits. So that of 1/s is value·2^(bits - exponent), and
        // a Montgomery multiplication divides by 2^bits.
        let bits = 64 &* constants.curve.orderWordCount
        power.setZero()
        guard unsafe BN_set_bit(power.pointer, Int32(clamping: 2 &* bits &- found.exponent)) == 1,
            unsafe BN_nnmod(power.pointer, power.pointer, order, context) == 1, inverse.set(to: found.value),
            unsafe BN_nnmod(inverse.pointer, inverse.pointer, order, context) == 1,
            unsafe BN_mod_mul_montgomery(inverse.pointer, inverse.pointer, power.pointer, reduction, context) == 1,
            unsafe !found.isNegative || BN_sub(inverse.pointer, order, inverse.pointer) == 1,
            unsafe BN_mod_mul_montgomery(power.pointer, s.pointer, inverse.pointer, reduction, context) == 1
        else { return false }
        return unsafe BN_is_one(power.pointer) == 1
    }

    // MARK: With tables

    private func verify(_ generator: PointMultiples, _ key: PointMultiples) -> Bool? {
        guard let first = windowed(u1, generator.windows), let second = windowed(u2, key.windows) else { return nil }
        sum.reset()
        generator.add(first, to: &sum)
        key.add(second, to: &sum)
        guard sum.isSound else { return nil }
        guard !sum.isInfinity else { return false }
        return compareAbscissa()
    }

    private func windowed(_ number: Number, _ windows: Windows) -> WindowedScalar? {
        var bytes = InlineArray<68, UInt8>(repeating: 0)
        var span = bytes.mutableSpan
        let length = Int32(WindowedScalar.byteCount)
        let written = unsafe span.withUnsafeMutableBufferPointer { buffer in
            unsafe BN_bn2lebinpad(number.pointer, buffer.baseAddress, length)
        }
        return written == length ? WindowedScalar(bytes, windows) : nil
    }

    // MARK: With libcrypto's table

    private func verify(_ key: GeneratorGroup) -> Bool? {
        let (group, context) = unsafe (constants.group.pointer, space.context)
        guard unsafe EC_POINT_mul(group, generatorPart.pointer, u1.pointer, nil, nil, context) == 1,
            unsafe key.multiply(u2, into: keyPart, context),
            unsafe EC_POINT_add(group, keyPart.pointer, keyPart.pointer, generatorPart.pointer, context) == 1
        else { return nil }
        if unsafe EC_POINT_is_at_infinity(group, keyPart.pointer) == 1 { return false }
        let (x, z) = (u1, u2)
        guard unsafe bearward_jacobian_coordinates(group, keyPart.pointer, x.pointer, z.pointer, context) == 1 else {
            return nil
        }
        sum.set(x: x, z: z)
        return compareAbscissa()
    }

    // MARK: The two values of x

    /// Whether the sum has the abscissa r, or r plus the order if that is below the prime. Nil if libcrypto failed.
    private func compareAbscissa() -> Bool? {
        var isEqual = sum.hasAbscissa(r)
        if !isEqual, r < constants.primeLessOrder {
            guard unsafe BN_add(r.pointer, r.pointer, constants.order.pointer) == 1 else { return nil }
            isEqual = sum.hasAbscissa(r)
        }
        return sum.isSound ? isEqual : nil
    }
}
