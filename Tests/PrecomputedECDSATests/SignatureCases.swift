import TestSupport
import Testing

@testable import PrecomputedECDSA

/// A signature to verify, made so that the two scalars or the two points of the verification have a chosen form.
struct SignatureCase {
    let key: LibraryECDSA.Point
    let signature: [UInt8]
    let digest: [UInt8]
    let kind: String
}

/// Makes signatures of one curve: random ones, and those at the edges of the arithmetic.
struct SignatureCases {
    let library: LibraryECDSA
    /// Private keys, as scalars, with their public keys.
    private var keys: [(scalar: [UInt8], point: LibraryECDSA.Point)] = []
    private var generator: SeededGenerator

    init(_ curve: PrimeCurve, seed: UInt64) throws {
        library = try LibraryECDSA(curve)
        generator = SeededGenerator(seed: seed)
        let small = [1, 2, 3, 64, 65].map(library.number)
        let opposite = library.opposite(library.number(1))
        let random = (0..<2).map { _ in library.random(using: &generator) }
        keys = try (small + [opposite] + random).map { (scalar: $0, point: try #require(library.combination($0))) }
    }

    /// Public keys of the cases, except of those whose key is made for the signature.
    var points: [LibraryECDSA.Point] { keys.map(\.point) }

    // MARK: Random

    /// A valid signature of a random digest, or one with a flipped bit.
    mutating func random() -> SignatureCase {
        let key = keys[keys.count - Int.random(in: 1...2, using: &generator)]
        let digest = (0..<digestLength()).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let nonce = library.random(using: &generator)
        return damaged(signature(key, digest: digest, nonce: nonce))
    }

    /// Usual digests, shorter and longer ones.
    private mutating func digestLength() -> Int {
        let usual = min(library.curve.byteCount, 64)
        return [usual, usual, usual, 1, 20, 32, 64, library.curve.byteCount + 1, 80].randomElement(using: &generator)
            ?? usual
    }

    private mutating func damaged(_ made: SignatureCase) -> SignatureCase {
        guard Int.random(in: 0..<3, using: &generator) == 0 else { return made }
        var (signature, digest) = (made.signature, made.digest)
        if Bool.random(using: &generator) {
            signature[Int.random(in: signature.indices, using: &generator)] ^=
                1 << UInt8.random(in: 0..<8, using: &generator)
        } else {
            digest[Int.random(in: digest.indices, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
        return SignatureCase(key: made.key, signature: signature, digest: digest, kind: made.kind + ", damaged")
    }

    // MARK: Edges

    mutating func edge() throws -> SignatureCase {
        let key = try #require(keys.randomElement(using: &generator))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return parts(key)
        case 1: return damaged(scalars(key, edgeScalar(), edgeScalar(), "edge scalars"))
        case 2: return damaged(meeting(key))
        default: return damaged(scalars(key, edgeScalar(), library.random(using: &generator), "one edge scalar"))
        }
    }

    /// r and s from the ends of their range, and from outside it.
    private mutating func parts(_ key: (scalar: [UInt8], point: LibraryECDSA.Point)) -> SignatureCase {
        let order = library.order
        let ends = [
            library.number(0), library.number(1), library.plain(order, plus: -1), order, library.plain(order, plus: 1),
            library.random(using: &generator), [UInt8](repeating: 0xFF, count: library.curve.byteCount),
        ]
        let (r, s) = (ends.randomElement(using: &generator) ?? [], ends.randomElement(using: &generator) ?? [])
        let digest = library.random(using: &generator)
        return SignatureCase(key: key.point, signature: r + s, digest: digest, kind: "r and s")
    }

    /// Zero, small and large numbers, powers of two and their neighbours, and numbers with the same digit in every
    /// window.
    private mutating func edgeScalar() -> [UInt8] {
        let value = library.number(Int.random(in: 0...130, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return value
        case 1: return library.opposite(value)
        case 2: return library.product(power(), value)
        case 3: return library.sum(power(), Bool.random(using: &generator) ? value : library.opposite(value))
        default:
            let width = Bool.random(using: &generator) ? 7 : 6
            let digit = Int.random(in: 0..<(1 << width), using: &generator)
            return (0..<library.curve.orderBitCount / width).reduce(library.number(0)) { sum, _ in
                library.sum(library.product(sum, library.number(1 << width)), library.number(digit))
            }
        }
    }

    private mutating func power() -> [UInt8] {
        (0..<Int.random(in: 0...library.curve.orderBitCount, using: &generator)).reduce(library.number(1)) { power, _ in
            library.sum(power, power)
        }
    }

    /// The generator's part equals the key's part, or is its opposite, wholly or in the lower windows.
    private mutating func meeting(_ key: (scalar: [UInt8], point: LibraryECDSA.Point)) -> SignatureCase {
        let u2 = Bool.random(using: &generator) ? edgeScalar() : library.random(using: &generator)
        let equal = library.product(u2, key.scalar)
        let u1 = Bool.random(using: &generator) ? equal : library.opposite(equal)
        let more =
            Int.random(in: 0..<3, using: &generator) == 0
            ? library.product(power(), library.number(3)) : library.number(0)
        return scalars(key, u1, library.sum(u2, more), "sums that meet")
    }

    // MARK: Making

    /// A signature by a key that is the generator times a small number, which may be negative.
    func scalars(key: Int, u1: Int, u2: Int) throws -> SignatureCase {
        let scalar = key < 0 ? library.opposite(library.number(-key)) : library.number(key)
        let point = try #require(library.combination(scalar))
        return scalars((scalar, point), library.number(u1), library.number(u2), "\(key) \(u1) \(u2)")
    }

    /// A signature whose verification computes the generator times `u1` plus the key times `u2`. If that is the point
    /// at infinity, which has no x, r is any number.
    private func scalars(
        _ key: (scalar: [UInt8], point: LibraryECDSA.Point), _ u1: [UInt8], _ u2: [UInt8], _ kind: String
    ) -> SignatureCase {
        let sum = library.combination(library.sum(u1, library.product(u2, key.scalar)))
        let r = library.product(sum?.x ?? library.number(7), library.number(1))
        // u1 = e/s and u2 = r/s; without an inverse of u2 the signature is invalid anyway.
        let s = library.inverse(u2).map { library.product(r, $0) } ?? library.number(1)
        return SignatureCase(
            key: key.point, signature: r + s, digest: digest(of: library.product(u1, s)), kind: kind)
    }

    private func signature(
        _ key: (scalar: [UInt8], point: LibraryECDSA.Point), digest: [UInt8], nonce: [UInt8]
    ) -> SignatureCase {
        // r = (k·G).x and s = (e + r·d)/k.
        let r = library.product(library.combination(nonce)?.x ?? library.number(1), library.number(1))
        let e = number(of: digest)
        let s = library.product(
            library.sum(e, library.product(r, key.scalar)), library.inverse(nonce) ?? library.number(1))
        return SignatureCase(key: key.point, signature: r + s, digest: digest, kind: "random")
    }

    /// A key and a signature whose point has an x of the order or above, so that r is x less the order.
    mutating func largeAbscissa() throws -> SignatureCase {
        for offset in 0..<200 {
            let r = library.number(Int.random(in: 1...1_000_000, using: &generator) + offset)
            var x = [UInt8](repeating: 0, count: library.curve.byteCount)
            var carry = 0
            for index in x.indices.reversed() {
                let sum = Int(r[index]) + Int(library.order[index]) + carry
                (x[index], carry) = (UInt8(sum & 0xFF), sum >> 8)
            }
            guard let point = library.point(x: x, isOdd: Bool.random(using: &generator)) else { continue }
            // The key is (s·R - e·G)/r.
            let (s, e) = (library.random(using: &generator), library.random(using: &generator))
            let inverse = try #require(library.inverse(r))
            let key = try #require(
                library.combination(
                    library.opposite(library.product(e, inverse)), point, library.product(s, inverse)))
            return SignatureCase(key: key, signature: r + s, digest: digest(of: e), kind: "large x")
        }
        throw NoPoint()
    }

    struct NoPoint: Error {}

    // MARK: Digests

    private var surplusBits: Int { 8 * library.curve.byteCount - library.curve.orderBitCount }

    /// A digest whose leftmost bits are the number.
    private func digest(of number: [UInt8]) -> [UInt8] {
        var (digest, carry) = (number, UInt8(0))
        for index in digest.indices.reversed() where surplusBits > 0 {
            let byte = digest[index]
            digest[index] = byte << UInt8(surplusBits) | carry
            carry = byte >> UInt8(8 - surplusBits)
        }
        return digest
    }

    /// The number that a digest stands for: its leftmost bits, modulo the order.
    private func number(of digest: [UInt8]) -> [UInt8] {
        var kept = Array(digest.prefix(library.curve.byteCount))
        if kept.count == library.curve.byteCount, surplusBits > 0 {
            var carry: UInt8 = 0
            for index in kept.indices {
                let byte = kept[index]
                kept[index] = byte >> UInt8(surplusBits) | carry
                carry = byte << UInt8(8 - surplusBits)
            }
        }
        return library.product(kept, library.number(1))
    }
}
