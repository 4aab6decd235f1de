import COpenSSL

/// Owner of one of libcrypto's groups. Any thread may read it.
@safe final class CurveGroup: @unchecked Sendable {
    // SAFETY: only `GeneratorGroup.init` writes a group, before another thread can have it. libcrypto's functions that
    // take a group as constant only read it.
    let pointer: OpaquePointer

    /// Nil if libcrypto does not have the curve.
    init?(_ curve: PrimeCurve) {
        guard let made = unsafe EC_GROUP_new_by_curve_name(curve.identifier) else { return nil }
        unsafe pointer = made
    }

    deinit {
        unsafe EC_GROUP_free(pointer)
    }

    /// A new point, at infinity. Nil if there is no memory.
    func point() -> CurvePoint? {
        guard let made = unsafe EC_POINT_new(pointer) else { return nil }
        return unsafe CurvePoint(owning: made)
    }

    /// The point with these coordinates, big-endian. Nil if it is not on the curve.
    func point(x: [UInt8], y: [UInt8]) -> CurvePoint? {
        defer { ERR_clear_error() }
        guard let point = point(), let space = NumberSpace(), let first = space.number(), let second = space.number(),
            unsafe BN_bin2bn(x, Int32(clamping: x.count), first.pointer) != nil,
            unsafe BN_bin2bn(y, Int32(clamping: y.count), second.pointer) != nil,
            unsafe EC_POINT_set_affine_coordinates(
                pointer, point.pointer, first.pointer, second.pointer, space.context) == 1
        else { return nil }
        return point
    }

    /// The generator of the curve. Nil if libcrypto failed.
    var generator: CurvePoint? {
        guard let point = point(), unsafe EC_POINT_copy(point.pointer, EC_GROUP_get0_generator(pointer)) == 1 else {
            return nil
        }
        return point
    }
}

/// Owner of a point of a group. For one thread at a time.
@safe final class CurvePoint {
    let pointer: OpaquePointer

    fileprivate init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EC_POINT_free(pointer)
    }
}
