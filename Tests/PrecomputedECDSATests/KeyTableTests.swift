import Testing

@testable import PrecomputedECDSA

struct KeyTableTests {
    @Test(arguments: PrimeCurve.allCases)
    func `the self-test of a curve passes`(_ curve: PrimeCurve) {
        #expect(throws: Never.self) { try KeyTable.selfTest(curve) }
    }

    @Test(arguments: PrimeCurve.allCases)
    func `coordinates of another length, or of no point, have no table`(_ curve: PrimeCurve) throws {
        let library = try LibraryECDSA(curve)
        let point = try #require(library.combination(library.number(3)))
        let wrong = [
            (Array(point.x.dropFirst()), point.y), (point.x, point.y + [0]), (point.y, point.x), ([], []),
            (library.prime, point.y),
        ]
        for (x, y) in wrong { #expect(throws: KeyTableFailure.notOnCurve) { try KeyTable(curve, x: x, y: y) } }
    }

    @Test(arguments: PrimeCurve.allCases)
    func `signatures of another length are invalid`(_ curve: PrimeCurve) throws {
        let made = try SignatureCases(curve, seed: 1).scalars(key: 3, u1: 4, u2: 5)
        let table = try KeyTable(curve, x: made.key.x, y: made.key.y)
        #expect(table.verify(signature: made.signature.span, digest: made.digest.span) == true)
        for signature in [[], Array(made.signature.dropLast()), made.signature + [0], made.signature + made.signature] {
            #expect(table.verify(signature: signature.span, digest: made.digest.span) == false)
        }
    }

    @Test func `an empty digest counts as zero`() throws {
        for curve in PrimeCurve.allCases {
            let made = try SignatureCases(curve, seed: 1).scalars(key: 3, u1: 0, u2: 5)
            let table = try KeyTable(curve, x: made.key.x, y: made.key.y)
            let digest: [UInt8] = []
            #expect(table.verify(signature: made.signature.span, digest: digest.span) == true)
        }
    }
}
