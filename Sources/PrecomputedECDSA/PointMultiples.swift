import COpenSSL

/// Table of a point's multiples: for each window of a scalar, the point times 2^(width·window), once to 2^(width-1)
/// times.
struct PointMultiples: Sendable {
    private let constants: CurveConstants
    let windows: Windows
    /// Coordinates of the points, x before y, in Montgomery form and little-endian.
    var bytes: [UInt8]

    private var coordinateByteCount: Int { constants.curve.byteCount }

    /// Computes the multiples of a point by libcrypto's own additions, which takes about 50 milliseconds. Nil if
    /// libcrypto failed.
    init?(of point: CurvePoint, _ constants: CurveConstants) {
        self.constants = constants
        windows = Windows(constants.curve)
        bytes = [UInt8](repeating: 0, count: 2 &* constants.curve.byteCount &* windows.half &* windows.count)
        guard let space = NumberSpace(), let coordinates = AffinePoint(space) else { return nil }
        let isComplete = Self.forEachMultiple(of: point, windows, constants.group) { place, multiple, space in
            write(multiple, to: place, coordinates, space)
        }
        guard isComplete else { return nil }
    }

    /// Checks each point of the table: that it is on the curve, and that it is the multiple that it should be, by
    /// libcrypto's own additions.
    func areMultiples(of point: CurvePoint) -> Bool {
        guard let own = constants.group.point(), let space = NumberSpace(), let coordinates = AffinePoint(space) else {
            return false
        }
        return Self.forEachMultiple(of: point, windows, constants.group) { place, multiple, space in
            guard load(place, into: coordinates) else { return false }
            let (x, y, group) = unsafe (coordinates.x.pointer, coordinates.y.pointer, constants.group.pointer)
            let (reduction, context) = unsafe (constants.primeReduction.pointer, space.context)
            return unsafe coordinates.x < constants.prime && coordinates.y < constants.prime
                && BN_from_montgomery(x, x, reduction, context) == 1
                && BN_from_montgomery(y, y, reduction, context) == 1
                && EC_POINT_set_affine_coordinates(group, own.pointer, x, y, context) == 1
                && EC_POINT_cmp(group, own.pointer, multiple.pointer, context) == 0
        }
    }

    /// Adds the point times a scalar to a sum.
    func add(_ scalar: WindowedScalar, to sum: inout PointSum) {
        for window in scalar.places {
            let digit = scalar[window]
            guard digit != 0 else { continue }
            guard load(window &* windows.half &+ abs(digit) &- 1, into: sum.addend) else { return sum.fail() }
            if digit < 0 { sum.negateAddend() }
            sum.add()
        }
    }

    /// Reads the point at a place of the table. False if there is no memory.
    private func load(_ place: Int, into point: AffinePoint) -> Bool {
        let (length, first) = (coordinateByteCount, 2 &* coordinateByteCount &* place)
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            // in bounds: there are as many places as points
            guard let start = bytes.baseAddress else { return false }
            let count = Int32(truncatingIfNeeded: length)
            return unsafe BN_lebin2bn(start.advanced(by: first), count, point.x.pointer) != nil
                && BN_lebin2bn(start.advanced(by: first &+ length), count, point.y.pointer) != nil
        }
    }

    private mutating func write(
        _ point: CurvePoint, to place: Int, _ coordinates: AffinePoint, _ space: NumberSpace
    ) -> Bool {
        let (x, y, context) = unsafe (coordinates.x.pointer, coordinates.y.pointer, space.context)
        let reduction = unsafe constants.primeReduction.pointer
        guard
            unsafe EC_POINT_get_affine_coordinates(constants.group.pointer, point.pointer, x, y, context) == 1,
            unsafe BN_to_montgomery(x, x, reduction, context) == 1,
            unsafe BN_to_montgomery(y, y, reduction, context) == 1
        else { return false }
        let (length, first) = (coordinateByteCount, 2 &* coordinateByteCount &* place)
        return unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return false }
            let count = Int32(truncatingIfNeeded: length)
            return unsafe BN_bn2lebinpad(x, start.advanced(by: first), count) == count
                && BN_bn2lebinpad(y, start.advanced(by: first &+ length), count) == count
        }
    }

    /// Calls the body with each multiple of the point that a table has, and its place, until it returns false.
    ///
    /// Returns false if the body did, or if libcrypto failed.
    private static func forEachMultiple(
        of point: CurvePoint, _ windows: Windows, _ group: CurveGroup,
        _ body: (_ place: Int, CurvePoint, NumberSpace) -> Bool
    ) -> Bool {
        defer { ERR_clear_error() }
        guard let first = group.point(), let multiple = group.point(), let space = NumberSpace(),
            unsafe EC_POINT_copy(first.pointer, point.pointer) == 1
        else { return false }
        for window in 0..<windows.count {
            guard unsafe EC_POINT_copy(multiple.pointer, first.pointer) == 1 else { return false }
            for factor in 1...windows.half {
                guard body(window &* windows.half &+ factor &- 1, multiple, space) else { return false }
                // The last multiple of a window is half of the next window's first one.
                let sum = factor < windows.half ? multiple : first
                let other = factor < windows.half ? first : multiple
                guard
                    unsafe EC_POINT_add(
                        group.pointer, sum.pointer, multiple.pointer, other.pointer, space.context) == 1
                else { return false }
            }
        }
        return true
    }
}

extension PointMultiples {
    private static let ofGenerator384 = checked(.p384)
    private static let ofGenerator521 = checked(.p521)

    /// The checked table of a curve's generator, made once in a process. Nil for P-256, which needs none, and if
    /// libcrypto failed.
    static func ofGenerator(_ curve: PrimeCurve) -> PointMultiples? {
        switch curve {
        case .p256: nil
        case .p384: ofGenerator384
        case .p521: ofGenerator521
        }
    }

    private static func checked(_ curve: PrimeCurve) -> PointMultiples? {
        guard let constants = CurveConstants.of(curve), let generator = constants.group.generator,
            let multiples = PointMultiples(of: generator, constants), multiples.areMultiples(of: generator)
        else { return nil }
        return multiples
    }
}
