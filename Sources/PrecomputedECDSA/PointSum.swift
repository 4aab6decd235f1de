/// Sum of points of one curve, in Jacobian coordinates: x = X/Z², y = Y/Z³, and Z = 0 for the point at infinity.
///
/// Any two points may be added: equal and opposite points too, and the point at infinity. For one thread at a time.
struct PointSum {
    /// The point to add next, in affine coordinates.
    let addend: AffinePoint
    private let constants: CurveConstants
    private var field: PrimeField
    private let x: Number
    private let y: Number
    private let z: Number
    // Intermediate values of one addition.
    private let zz: Number
    private let h: Number
    private let slope: Number
    private let hh: Number
    private let hhh: Number
    private let v: Number

    /// Makes a sum whose numbers the space owns. Nil if there is no memory.
    init?(_ constants: CurveConstants, _ space: NumberSpace) {
        guard let addend = AffinePoint(space), let x = space.number(), let y = space.number(), let z = space.number(),
            let zz = space.number(), let h = space.number(), let slope = space.number(), let hh = space.number(),
            let hhh = space.number(), let v = space.number()
        else { return nil }
        (self.constants, self.addend, self.x, self.y, self.z) = (constants, addend, x, y, z)
        (self.zz, self.h, self.slope, self.hh, self.hhh, self.v) = (zz, h, slope, hh, hhh, v)
        field = PrimeField(constants, space)
    }

    /// False once a function of libcrypto has failed since `reset`. The sum then means nothing.
    var isSound: Bool { !field.hasFailed }

    var isInfinity: Bool { z.isZero }

    /// Sets the sum to the point at infinity.
    mutating func reset() {
        field.forgetFailure()
        z.setZero()
    }

    /// Sets the sum to a point with these coordinates, which are not in Montgomery form. No y is needed to compare it.
    mutating func set(x: Number, z: Number) {
        reset()
        field.toMontgomery(x, into: self.x)
        field.toMontgomery(z, into: self.z)
    }

    /// Adds the addend: eight multiplications and three squares (the mixed addition of the Explicit-Formulas Database
    /// for Jacobian coordinates, "madd").
    mutating func add() {
        if isInfinity { return begin() }
        field.square(z, into: zz)
        field.multiply(addend.x, zz, into: h)
        field.subtract(x, from: h, into: h)
        field.multiply(z, zz, into: zz)
        field.multiply(addend.y, zz, into: slope)
        field.subtract(y, from: slope, into: slope)
        if h.isZero { return addSameAbscissa() }
        field.multiply(z, h, into: z)
        field.square(h, into: hh)
        field.multiply(h, hh, into: hhh)
        field.multiply(x, hh, into: v)
        field.square(slope, into: x)
        field.subtract(hhh, from: x, into: x)
        field.subtract(v, from: x, into: x)
        field.subtract(v, from: x, into: x)
        field.subtract(x, from: v, into: v)
        field.multiply(slope, v, into: v)
        field.multiply(y, hhh, into: hhh)
        field.subtract(hhh, from: v, into: y)
    }

    /// Notes that an addend could not be read.
    mutating func fail() { field.fail() }

    /// Replaces the addend with its opposite.
    mutating func negateAddend() { field.negate(addend.y) }

    private mutating func begin() {
        field.copy(addend.x, into: x)
        field.copy(addend.y, into: y)
        field.copy(constants.one, into: z)
    }

    /// Adds a point that has the sum's x: the sum itself, or its opposite.
    private mutating func addSameAbscissa() {
        guard slope.isZero else { return z.setZero() }
        doubleAddend()
    }

    /// Sets the sum to twice the addend. No point of these curves has y = 0, since their orders are odd.
    private mutating func doubleAddend() {
        field.square(addend.x, into: slope)
        field.double(slope, into: h)
        field.add(slope, h, into: slope)
        field.add(slope, constants.coefficient, into: slope)
        field.square(addend.y, into: hh)
        field.multiply(addend.x, hh, into: v)
        field.double(v, into: v)
        field.double(v, into: v)
        field.square(slope, into: x)
        field.subtract(v, from: x, into: x)
        field.subtract(v, from: x, into: x)
        field.subtract(x, from: v, into: v)
        field.multiply(slope, v, into: v)
        field.square(hh, into: hhh)
        field.double(hhh, into: hhh)
        field.double(hhh, into: hhh)
        field.double(hhh, into: hhh)
        field.subtract(hhh, from: v, into: y)
        field.double(addend.y, into: z)
    }

    /// True if the sum's x is this number modulo the prime. The sum is not the point at infinity. No inverse is taken:
    /// compares the number times Z² with X.
    ///
    /// - Parameter number: less than the prime, not in Montgomery form.
    mutating func hasAbscissa(_ number: Number) -> Bool {
        field.square(z, into: zz)
        field.toMontgomery(number, into: v)
        field.multiply(v, zz, into: v)
        return v == x
    }

}

/// Point in affine coordinates, in Montgomery form.
struct AffinePoint {
    let x: Number
    let y: Number

    /// Nil if there is no memory.
    init?(_ space: NumberSpace) {
        guard let x = space.number(), let y = space.number() else { return nil }
        (self.x, self.y) = (x, y)
    }
}
