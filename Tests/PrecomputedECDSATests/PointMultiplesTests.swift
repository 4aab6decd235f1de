import TestSupport
import Testing

@testable import PrecomputedECDSA

struct PointMultiplesTests {
    @Test(arguments: Effort.some([0, 63, 3_519, 64, 1_000] + stride(from: 1, to: 3_519, by: 53), quick: 3))
    func `the check of a table finds one flipped bit of any point`(_ place: Int) throws {
        var random = SeededGenerator(seed: UInt64(place))
        let constants = try #require(CurveConstants.of(.p384))
        let generator = try #require(constants.group.generator)
        var multiples = try #require(PointMultiples.ofGenerator(.p384))
        #expect(multiples.bytes.count == 3_520 * 96)
        multiples.bytes[place * 96 + Int.random(in: 0..<96, using: &random)] ^=
            1 << UInt8.random(in: 0..<8, using: &random)
        #expect(!multiples.areMultiples(of: generator))
    }

    @Test func `tables of another point are refused`() throws {
        let library = try LibraryECDSA(.p384)
        let constants = try #require(CurveConstants.of(.p384))
        let other = try #require(library.combination(library.number(2)))
        let point = try #require(constants.group.point(x: other.x, y: other.y))
        #expect(try #require(PointMultiples.ofGenerator(.p384)).areMultiples(of: point) == false)
        #expect(try #require(PointMultiples(of: point, constants)).areMultiples(of: point))
    }

    @Test func `libcrypto's table of another point is refused`() throws {
        let library = try LibraryECDSA(.p256)
        let constants = try #require(CurveConstants.of(.p256))
        let points = try [2, 3].map { number in
            let point = try #require(library.combination(library.number(number)))
            return try #require(constants.group.point(x: point.x, y: point.y))
        }
        let group = try #require(GeneratorGroup(of: points[0], constants))
        #expect(group.areMultiples(of: points[0]))
        #expect(!group.areMultiples(of: points[1]))
    }

    /// libcrypto reads a window of seven bits together with the highest bit of the window below.
    @Test func `the check of libcrypto's table meets every entry`() throws {
        let space = try #require(NumberSpace())
        let scalar = try #require(space.number())
        let order = try #require(CurveConstants.of(.p256)).order
        var met: Set<[Int]> = []
        for digits in GeneratorGroup.everyDigit {
            try #require(GeneratorGroup.set(scalar, to: digits))
            #expect(scalar < order)
            let words = try #require(scalar.words)
            let bit = { (place: Int) in place < 0 ? 0 : Int(words[place / 64] >> UInt64(place % 64) & 1) }
            for window in 0..<37 {
                let value = (0..<7).reduce(bit(7 * window - 1)) { $0 + bit(7 * window + $1) << $1 }
                met.insert([window, abs(bit(7 * window + 6) == 1 ? value - 128 : value)])
            }
        }
        for window in 0..<37 {
            for entry in 1...(window == 36 ? 16 : 64) { #expect(met.contains([window, entry]), "\(window) \(entry)") }
        }
    }

    @Test(arguments: PrimeCurve.allCases)
    func `a scalar is the sum of its digits`(_ curve: PrimeCurve) throws {
        let library = try LibraryECDSA(curve)
        let windows = Windows(curve)
        var random = SeededGenerator(seed: 7)
        let ends = [library.number(0), library.number(1), library.plain(library.order, plus: -1)]
        for number in ends + (0..<200).map({ _ in library.random(using: &random) }) {
            var bytes = InlineArray<68, UInt8>(repeating: 0)
            for (index, byte) in number.reversed().enumerated() { bytes[index] = byte }
            let scalar = WindowedScalar(bytes, windows)
            let base = library.number(1 << windows.width)
            let sum = scalar.places.reversed().reduce(library.number(0)) { sum, place in
                let digit = library.number(abs(scalar[place]))
                return library.sum(library.product(sum, base), scalar[place] < 0 ? library.opposite(digit) : digit)
            }
            #expect(sum == number)
            #expect(scalar.places.allSatisfy { abs(scalar[$0]) <= windows.half })
        }
    }
}
