import COpenSSL
import TestSupport
import Testing

@testable import JOSE
@testable import PrecomputedECDSA

/// ECDSA by libcrypto's own functions, with numbers as big-endian bytes: what the tables are compared with, and how
/// signatures with chosen parts are made.
@safe final class LibraryECDSA {
    let curve: PrimeCurve
    let order: [UInt8]
    let prime: [UInt8]
    private let group: CurveGroup
    private let space: NumberSpace
    private let orderNumber: Number

    init(_ curve: PrimeCurve) throws {
        self.curve = curve
        group = try #require(CurveGroup(curve))
        space = try #require(NumberSpace())
        orderNumber = try #require(space.number())
        let prime = try #require(space.number())
        let hasOrder = unsafe EC_GROUP_get_order(group.pointer, orderNumber.pointer, space.context) == 1
        let hasPrime = unsafe EC_GROUP_get_curve(group.pointer, prime.pointer, nil, nil, space.context) == 1
        try #require(hasOrder && hasPrime)
        order = Self.bytes(orderNumber, curve.byteCount)
        self.prime = Self.bytes(prime, curve.byteCount)
    }

    private static func bytes(_ number: Number, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let written = unsafe BN_bn2binpad(number.pointer, &bytes, Int32(count))
        precondition(written == count)
        return bytes
    }

    private static func made<Value>(_ value: Value?) -> Value {
        guard let value else { preconditionFailure("out of memory") }
        return value
    }

    /// Calls the body with the numbers, and a context for libcrypto's functions. Empty bytes are zero.
    private func withNumbers<Result>(_ numbers: [[UInt8]], _ body: ([Number], NumberSpace) -> Result) -> Result {
        let space = Self.made(NumberSpace())
        let made = numbers.map { bytes in
            let number = Self.made(space.number())
            let isSet = unsafe BN_bin2bn(bytes, Int32(bytes.count), number.pointer) != nil
            precondition(isSet)
            return number
        }
        return body(made, space)
    }

    // MARK: Numbers modulo the order

    func product(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        computed([left, right]) { result, numbers, order, space in
            unsafe BN_mod_mul(
                result.pointer, numbers[0].pointer, numbers[1].pointer, order.pointer, space.context) == 1
        }
    }

    func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        computed([left, right]) { result, numbers, order, space in
            unsafe BN_mod_add(
                result.pointer, numbers[0].pointer, numbers[1].pointer, order.pointer, space.context) == 1
        }
    }

    /// The opposite modulo the order. Zero stays zero.
    func opposite(_ number: [UInt8]) -> [UInt8] {
        computed([number]) { result, numbers, order, space in
            unsafe BN_mod_sub(result.pointer, result.pointer, numbers[0].pointer, order.pointer, space.context) == 1
        }
    }

    /// Result of a function of libcrypto that sets its first number, which is zero before, and must succeed.
    private func computed(
        _ operands: [[UInt8]], _ function: (Number, [Number], _ order: Number, NumberSpace) -> Bool
    ) -> [UInt8] {
        withNumbers(operands) { numbers, space in
            let result = Self.made(space.number())
            let isDone = function(result, numbers, orderNumber, space)
            precondition(isDone)
            return Self.bytes(result, curve.byteCount)
        }
    }

    /// Nil for zero.
    func inverse(_ number: [UInt8]) -> [UInt8]? {
        withNumbers([number, []]) { numbers, space in
            guard
                unsafe BN_mod_inverse(numbers[1].pointer, numbers[0].pointer, orderNumber.pointer, space.context) != nil
            else {
                ERR_clear_error()
                return nil
            }
            return Self.bytes(numbers[1], curve.byteCount)
        }
    }

    /// A small number, padded.
    func number(_ value: Int) -> [UInt8] {
        (0..<curve.byteCount).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }

    /// The number plus a small one, or less a small one, as plain bytes: it may be the order itself, or above it.
    func plain(_ number: [UInt8], plus value: Int) -> [UInt8] {
        withNumbers([number]) { numbers, space in
            let done =
                unsafe value < 0
                ? BN_sub_word(numbers[0].pointer, UInt(-value)) : BN_add_word(numbers[0].pointer, UInt(value))
            precondition(done == 1)
            return Self.bytes(numbers[0], curve.byteCount)
        }
    }

    func random(using generator: inout SeededGenerator) -> [UInt8] {
        product((0..<curve.byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }, number(1))
    }

    // MARK: Points

    struct Point: Equatable {
        let x: [UInt8]
        let y: [UInt8]
    }

    /// The generator times `u`, plus the point times `v`. Nil for the point at infinity.
    func combination(_ u: [UInt8], _ point: Point? = nil, _ v: [UInt8] = []) -> Point? {
        withNumbers([u, v, point?.x ?? [], point?.y ?? []]) { numbers, space in
            let (sum, other) = (Self.made(group.point()), Self.made(group.point()))
            if point != nil {
                let done = unsafe EC_POINT_set_affine_coordinates(
                    group.pointer, other.pointer, numbers[2].pointer, numbers[3].pointer, space.context)
                precondition(done == 1)
            }
            let done = unsafe EC_POINT_mul(
                group.pointer, sum.pointer, numbers[0].pointer, point == nil ? nil : other.pointer,
                point == nil ? nil : numbers[1].pointer, space.context)
            precondition(done == 1)
            if unsafe EC_POINT_is_at_infinity(group.pointer, sum.pointer) == 1 { return nil }
            let read = unsafe EC_POINT_get_affine_coordinates(
                group.pointer, sum.pointer, numbers[2].pointer, numbers[3].pointer, space.context)
            precondition(read == 1)
            return Point(
                x: Self.bytes(numbers[2], curve.byteCount), y: Self.bytes(numbers[3], curve.byteCount))
        }
    }

    /// A point with this x. Nil if the curve has none.
    func point(x: [UInt8], isOdd: Bool) -> Point? {
        withNumbers([x, []]) { numbers, space in
            let point = Self.made(group.point())
            guard
                unsafe EC_POINT_set_compressed_coordinates(
                    group.pointer, point.pointer, numbers[0].pointer, isOdd ? 1 : 0, space.context) == 1,
                unsafe EC_POINT_get_affine_coordinates(
                    group.pointer, point.pointer, numbers[0].pointer, numbers[1].pointer, space.context) == 1
            else {
                ERR_clear_error()
                return nil
            }
            return Point(
                x: Self.bytes(numbers[0], curve.byteCount), y: Self.bytes(numbers[1], curve.byteCount))
        }
    }

    // MARK: Verification

    private struct NoContext: Error {}

    /// libcrypto's verdict on a signature over a digest, of any length.
    func accepts(_ signature: [UInt8], _ digest: [UInt8], by key: Point) throws -> Bool {
        let own = try LibraryKey(.ellipticCurve(curve.published, x: key.x, y: key.y))
        guard let operation = unsafe EVP_PKEY_CTX_new_from_pkey(nil, own.pointer, nil) else { throw NoContext() }
        defer {
            unsafe EVP_PKEY_CTX_free(operation)
            ERR_clear_error()
        }
        guard unsafe EVP_PKEY_verify_init(operation) == 1 else { throw NoContext() }
        let encoding = ECDSASignatureEncoding(signature.span)
        let encoded = (0..<encoding.count).map { encoding.bytes[$0] }
        return unsafe EVP_PKEY_verify(operation, encoded, encoded.count, digest, digest.count) == 1
    }
}

extension PrimeCurve {
    var published: Curve {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        }
    }
}
