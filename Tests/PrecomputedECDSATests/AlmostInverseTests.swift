import TestSupport
import Testing

@testable import PrecomputedECDSA

struct AlmostInverseTests {
    @Test(arguments: PrimeCurve.allCases)
    func `a number times its inverse is a power of two, or its opposite`(_ curve: PrimeCurve) throws {
        let library = try LibraryECDSA(curve)
        let constants = try #require(CurveConstants.of(curve))
        let space = try #require(NumberSpace())
        let number = try #require(space.number())
        var random = SeededGenerator(seed: 9)
        var powers = [library.number(1)]
        for _ in 1..<curve.orderBitCount {
            powers.append(library.sum(powers[powers.count - 1], powers[powers.count - 1]))
        }
        let edges = (1...5).map(library.number) + powers + powers.map(library.opposite)
        for value in edges + (0..<500).map({ _ in library.random(using: &random) }) {
            try #require(number.set(to: Self.words(of: value)))
            let words = try #require(number.words)
            let found = AlmostInverse(
                of: words, modulo: constants.orderWords, count: curve.orderBitCount / 64 + 1)
            let product = library.product(value, Self.bytes(of: found.value))
            let power = (0..<found.exponent).reduce(library.number(1)) { power, _ in library.sum(power, power) }
            #expect(product == (found.isNegative ? library.opposite(power) : power))
            #expect(found.exponent <= 2 * curve.orderBitCount)
        }
    }

    @Test func `a number without an inverse ends the search too`() throws {
        let constants = try #require(CurveConstants.of(.p256))
        for number in [AlmostInverse.Words(repeating: 0), constants.orderWords] {
            let found = AlmostInverse(of: number, modulo: constants.orderWords, count: 5)
            #expect(found.exponent <= 128 * 5 + 63)
        }
    }

    private static func words(of bytes: [UInt8]) -> AlmostInverse.Words {
        var words = AlmostInverse.Words(repeating: 0)
        for (index, byte) in bytes.reversed().enumerated() { words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8) }
        return words
    }

    private static func bytes(of words: AlmostInverse.Words) -> [UInt8] {
        (0..<72).reversed().map { index in UInt8(truncatingIfNeeded: words[index / 8] >> UInt64(index % 8 * 8)) }
    }
}
