import JOSE
import Testing

struct SignatureAlgorithmTests {
    @Test(
        arguments: [
            (.rs256, .rsa, nil, nil), (.rs384, .rsa, nil, nil), (.rs512, .rsa, nil, nil),
            (.ps256, .rsa, nil, nil), (.ps384, .rsa, nil, nil), (.ps512, .rsa, nil, nil),
            (.es256, .ellipticCurve, .p256, 64), (.es384, .ellipticCurve, .p384, 96),
            (.es512, .ellipticCurve, .p521, 132),
            (.ed25519, .octetKeyPair, .ed25519, 64), (.ed448, .octetKeyPair, .ed448, 114),
        ] as [(SignatureAlgorithm, KeyType, Curve?, Int?)])
    func `the algorithm table has key type, curve and signature length of each algorithm`(
        algorithm: SignatureAlgorithm, keyType: KeyType, curve: Curve?, byteCount: Int?
    ) {
        #expect(algorithm.keyType == keyType)
        #expect(algorithm.curve == curve)
        #expect(algorithm.signatureByteCount == byteCount)
    }

    @Test func `every algorithm name of the table is read as that algorithm`() {
        for algorithm in SignatureAlgorithm.allCases {
            #expect(HeaderAlgorithm(name: algorithm.rawValue) == .exact(algorithm))
            #expect(HeaderAlgorithm.exact(algorithm).name == algorithm.rawValue)
            #expect(SignatureAlgorithmSet(name: algorithm.rawValue) == [algorithm])
        }
        #expect(HeaderAlgorithm.edDSA.name == "EdDSA")
    }

    @Test func `EdDSA means the algorithm of the key's Edwards curve`() {
        #expect(SignatureAlgorithmSet(name: "EdDSA") == [.ed25519, .ed448])
        #expect(HeaderAlgorithm.edDSA.resolved(for: [.ed25519]) == .ed25519)
        #expect(HeaderAlgorithm.edDSA.resolved(for: [.ed448]) == .ed448)
        #expect(HeaderAlgorithm.edDSA.resolved(for: [.es256, .rs256]) == nil)
        #expect(HeaderAlgorithm.exact(.ed25519).resolved(for: [.ed448]) == nil)
    }

    @Test(arguments: ["none", "HS256", "", "rs256", "ES256K", "EdDSA "])
    func `the algorithm table has no other name`(name: String) {
        #expect(HeaderAlgorithm(name: name) == nil)
        #expect(SignatureAlgorithmSet(name: name) == nil)
    }

    @Test func `a set of algorithms supports the usual set operations`() {
        var set: SignatureAlgorithmSet = [.es256, .rs256, .rs256]
        #expect(set.algorithms == [.rs256, .es256])
        #expect(set.contains(.es256) && !set.contains(.es384))
        #expect(set.sole == nil)
        set.insert(.es384)
        #expect(set.intersection([.es384, .ed448]).sole == .es384)
        #expect(set.intersection([.ed448]).isEmpty)
        #expect(set.isSubset(of: .all) && !SignatureAlgorithmSet.all.isSubset(of: set))
        #expect(SignatureAlgorithmSet.all.algorithms == SignatureAlgorithm.allCases)
        #expect(SignatureAlgorithmSet([.rs256]).union([.es256]) == [.rs256, .es256])
        #expect(SignatureAlgorithmSet().isEmpty)
    }
}
