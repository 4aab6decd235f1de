import COpenSSL

/// A group of P-256 whose generator is a key: libcrypto then keeps a table of the key's multiples itself.
struct GeneratorGroup: Sendable {
    private let group: CurveGroup
    private let constants: CurveConstants

    /// Nil if libcrypto failed, or if it keeps no such tables.
    init?(of key: CurvePoint, _ constants: CurveConstants) {
        defer { ERR_clear_error() }
        guard let group = CurveGroup(constants.curve),
            unsafe EC_GROUP_set_generator(group.pointer, key.pointer, constants.order.pointer, BN_value_one()) == 1,
            unsafe bearward_precompute_generator(group.pointer) == 1
        else { return nil }
        (self.group, self.constants) = (group, constants)
    }

    /// Sets a point to the key times a scalar. False if libcrypto failed.
    func multiply(_ scalar: Number, into point: CurvePoint, _ context: OpaquePointer) -> Bool {
        unsafe EC_POINT_mul(group.pointer, point.pointer, scalar.pointer, nil, nil, context) == 1
    }

    /// Checks each entry of libcrypto's table: for each digit that a window can have, a scalar with that digit in every
    /// window is multiplied, and compared with the product that is computed without the table.
    func areMultiples(of key: CurvePoint) -> Bool {
        defer { ERR_clear_error() }
        guard let own = constants.group.point(), let other = constants.group.point(), let space = NumberSpace(),
            let scalar = space.number()
        else { return false }
        let (group, context) = unsafe (constants.group.pointer, space.context)
        return Self.everyDigit.allSatisfy { digits in
            unsafe Self.set(scalar, to: digits) && multiply(scalar, into: own, context)
                && EC_POINT_mul(group, other.pointer, nil, key.pointer, scalar.pointer, context) == 1
                && EC_POINT_cmp(group, own.pointer, other.pointer, context) == 0
        }
    }

    /// Bits in which a scalar is cut, and how many windows it has.
    private static let (width, windows): (Int32, Int) = (7, 37)
    /// Digits of even and odd windows with which every entry is met. libcrypto takes 64 as -64 and one more in the next
    /// window, so a smaller digit is beside it. The last window, an even one, is 16 at most, and only with one more.
    static let everyDigit: [(even: UInt, odd: UInt)] = (1...63).map { ($0, $0) } + [(64, 0), (15, 64)]

    static func set(_ scalar: Number, to digits: (even: UInt, odd: UInt)) -> Bool {
        scalar.setZero()
        return (0..<windows).reversed().allSatisfy { window in
            let digit = window.isMultiple(of: 2) ? digits.even : digits.odd
            // The last window has four bits of a scalar. None of these scalars is as large as the order.
            return unsafe BN_lshift(scalar.pointer, scalar.pointer, width) == 1
                && BN_add_word(scalar.pointer, window == windows &- 1 ? digit & 15 : digit) == 1
        }
    }
}
