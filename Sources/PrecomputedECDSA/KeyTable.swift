import Synchronization

/// Public key of ECDSA with a table of its multiples, so that a verification takes a fraction of libcrypto's own.
///
/// All values are public, so nothing here takes constant time.
public final class KeyTable: Sendable {
    public let curve: PrimeCurve
    /// Memory that the table takes, in bytes.
    public let byteCount: Int
    private let constants: CurveConstants
    private let multiples: Multiples
    /// Memory that no thread uses now.
    private let idle = Mutex<[VerificationScratch]>([])

    enum Multiples: Sendable {
        /// Tables of the curve's generator and of the key.
        case tables(generator: PointMultiples, key: PointMultiples)
        case group(GeneratorGroup)
    }

    /// Far above the number of threads that verify at once.
    private static let mostIdle = 64
    /// Size of libcrypto's own table: 37 windows with 64 points of 64 bytes each.
    private static let groupByteCount = 37 * 64 * 64

    /// Computes the table of a key and checks all of it. This takes some 20 milliseconds for P-256, and 100 for P-384.
    ///
    /// - Parameters:
    ///   - x: coordinate, big-endian, in the curve's length.
    ///   - y: coordinate, big-endian, in the curve's length.
    public init(_ curve: PrimeCurve, x: [UInt8], y: [UInt8]) throws(KeyTableFailure) {
        guard let constants = CurveConstants.of(curve) else { throw .unsupported }
        guard x.count == curve.byteCount, y.count == x.count, let point = constants.group.point(x: x, y: y) else {
            throw .notOnCurve
        }
        (self.curve, self.constants) = (curve, constants)
        if curve == .p256 {
            guard let group = GeneratorGroup(of: point, constants) else { throw .unsupported }
            guard group.areMultiples(of: point) else { throw .wrong }
            (multiples, byteCount) = (.group(group), Self.groupByteCount)
        } else {
            guard let generator = PointMultiples.ofGenerator(curve), let key = PointMultiples(of: point, constants)
            else {
                throw .unsupported
            }
            guard key.areMultiples(of: point) else { throw .wrong }
            (multiples, byteCount) = (.tables(generator: generator, key: key), key.bytes.count)
        }
    }

    /// Makes a table of multiples that are not checked.
    init(unchecked multiples: Multiples, _ constants: CurveConstants) {
        (curve, self.constants, self.multiples, byteCount) = (constants.curve, constants, multiples, 0)
    }

    /// Checks a signature over a digest. Nil if libcrypto failed, which says nothing about the signature.
    ///
    /// - Parameters:
    ///   - signature: r and s, each big-endian in the curve's length (RFC 7518 §3.4).
    ///   - digest: of any length. Its leftmost bits count (FIPS 186-5 §6.4.2).
    public func verify(signature: Span<UInt8>, digest: Span<UInt8>) -> Bool? {
        guard let scratch = idle.withLock({ $0.popLast() }) ?? VerificationScratch(constants) else { return nil }
        let isValid = scratch.verify(signature, digest, with: multiples)
        idle.withLock { idle in
            if idle.count < Self.mostIdle { idle.append(scratch) }
        }
        return isValid
    }
}

/// Reason why a key has no table.
public enum KeyTableFailure: Error, Sendable, Hashable {
    /// The coordinates are no point of the curve.
    case notOnCurve
    /// libcrypto does not have the curve or cannot keep its tables, or there is no memory.
    case unsupported
    /// The table was computed, and is wrong.
    case wrong
}
