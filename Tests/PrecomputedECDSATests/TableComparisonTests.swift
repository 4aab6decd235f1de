import Foundation
import TestSupport
import Testing

@testable import PrecomputedECDSA

/// Tables and libcrypto give the same verdict on every signature.
///
/// `BEARWARD_SIGNATURES` sets the number of signatures of each kind and curve, `BEARWARD_SEED` the seed. With
/// `BEARWARD_SIGNATURES_FILE`, each is written to files whose names begin so, with its verdict, for a second
/// implementation to judge: the key's x and y, the signature and the digest in hexadecimal, and 1 if it is valid.
struct TableComparisonTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["BEARWARD_SIGNATURES"].flatMap { Int($0) } ?? 300
    private static let seed = environment["BEARWARD_SEED"].flatMap { UInt64($0) } ?? 1

    private struct Judge {
        let library: LibraryECDSA
        let tables: [[UInt8]: KeyTable]
        let output: FileHandle?
        var valid = 0
        var all = 0

        init(_ library: LibraryECDSA, _ points: [LibraryECDSA.Point], _ kind: String) throws {
            self.library = library
            tables = try Dictionary(
                points.map { ($0.x + $0.y, try KeyTable(library.curve, x: $0.x, y: $0.y)) }, uniquingKeysWith: { $1 })
            output = environment["BEARWARD_SIGNATURES_FILE"].flatMap { path in
                let own = "\(path).\(library.curve).\(kind)"
                _ = FileManager.default.createFile(atPath: own, contents: nil)
                return FileHandle(forWritingAtPath: own)
            }
        }

        mutating func judge(_ signature: SignatureCase) throws {
            let table =
                try tables[signature.key.x + signature.key.y]
                ?? KeyTable(library.curve, x: signature.key.x, y: signature.key.y)
            let accepted = table.verify(signature: signature.signature.span, digest: signature.digest.span)
            let wanted = try library.accepts(signature.signature, signature.digest, by: signature.key)
            try #require(accepted == wanted, "\(library.curve) \(signature)")
            all += 1
            if wanted { valid += 1 }
            guard let output else { return }
            let line = [signature.key.x, signature.key.y, signature.signature, signature.digest].map { bytes in
                bytes.map { String(256 + Int($0), radix: 16).dropFirst() }.joined()
            }
            try output.write(contentsOf: Data((line + [wanted ? "1" : "0"]).joined(separator: " ").utf8 + [0x0A]))
        }
    }

    @Test(arguments: PrimeCurve.allCases)
    func `random signatures, good and damaged`(_ curve: PrimeCurve) throws {
        var cases = try SignatureCases(curve, seed: Self.seed)
        var judge = try Judge(cases.library, cases.points, "random")
        for _ in 0..<Self.count { try judge.judge(cases.random()) }
        #expect(judge.valid > judge.all / 2 && judge.valid < judge.all)
    }

    @Test(arguments: PrimeCurve.allCases)
    func `signatures at the edges of the arithmetic`(_ curve: PrimeCurve) throws {
        var cases = try SignatureCases(curve, seed: Self.seed)
        var judge = try Judge(cases.library, cases.points, "edge")
        for _ in 0..<Self.count { try judge.judge(try cases.edge()) }
        #expect(judge.valid > judge.all / 4 && judge.valid < judge.all)
    }

    @Test(arguments: PrimeCurve.allCases)
    func `an x of the order or above is that of a valid signature`(_ curve: PrimeCurve) throws {
        var cases = try SignatureCases(curve, seed: Self.seed)
        var judge = try Judge(cases.library, [], "large")
        for _ in 0..<3 { try judge.judge(try cases.largeAbscissa()) }
        #expect(judge.valid == judge.all)
    }
}
