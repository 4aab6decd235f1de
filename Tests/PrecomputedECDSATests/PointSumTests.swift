import Testing

@testable import PrecomputedECDSA

/// Sums in which the formula for two different points must not be used. The generator's part is added first, and each
/// part from its lowest window on.
struct PointSumTests {
    private func isValid(_ curve: PrimeCurve, key: Int, u1: Int, u2: Int) throws -> Bool {
        let cases = try SignatureCases(curve, seed: 1)
        let made = try cases.scalars(key: key, u1: u1, u2: u2)
        let table = try KeyTable(curve, x: made.key.x, y: made.key.y)
        return table.verify(signature: made.signature.span, digest: made.digest.span) == true
    }

    @Test(arguments: PrimeCurve.allCases, [1, 5, 32])
    func `equal points are doubled`(_ curve: PrimeCurve, number: Int) throws {
        #expect(try isValid(curve, key: 1, u1: number, u2: number))
        #expect(try isValid(curve, key: 2, u1: 2 * number, u2: number))
    }

    @Test(arguments: PrimeCurve.allCases, [1, 5, 32])
    func `opposite points give the point at infinity, with which no signature is valid`(
        _ curve: PrimeCurve, number: Int
    ) throws {
        #expect(try !isValid(curve, key: -1, u1: number, u2: number))
    }

    @Test(arguments: PrimeCurve.allCases)
    func `a sum that is the point at infinity meanwhile goes on`(_ curve: PrimeCurve) throws {
        let window = 1 << Windows(curve).width
        #expect(try isValid(curve, key: -1, u1: 5, u2: 5 + 3 * window))
        #expect(try isValid(curve, key: -1, u1: 5, u2: 5 + window * window))
    }

    @Test(arguments: PrimeCurve.allCases)
    func `a sum without the generator's part is the key's part`(_ curve: PrimeCurve) throws {
        for key in [1, -1, 7] { #expect(try isValid(curve, key: key, u1: 0, u2: 9)) }
    }
}
