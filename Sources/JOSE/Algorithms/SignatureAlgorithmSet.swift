/// Set of signature algorithms, for example those that an issuer may use, or that fit a key.
public struct SignatureAlgorithmSet: Sendable, Hashable, ExpressibleByArrayLiteral {
    private var bits: UInt16 = 0

    public init() {}

    public init(arrayLiteral algorithms: SignatureAlgorithm...) {
        self.init(algorithms)
    }

    public init(_ algorithms: some Sequence<SignatureAlgorithm>) {
        for algorithm in algorithms { bits |= algorithm.bit }
    }

    /// Algorithms of one name of a configured list; `EdDSA` is both Edwards curves. Nil for a name outside the table.
    public init?(name: String) {
        guard let algorithm = HeaderAlgorithm(name: name) else { return nil }
        self = algorithm.algorithms
    }

    public static let all = SignatureAlgorithmSet(SignatureAlgorithm.allCases)

    public var isEmpty: Bool { bits == 0 }

    /// The algorithms in the set, in the order of the table.
    public var algorithms: [SignatureAlgorithm] {
        SignatureAlgorithm.allCases.filter(contains)
    }

    /// The only algorithm in the set. Nil if the set is empty or has several.
    public var sole: SignatureAlgorithm? {
        bits.nonzeroBitCount == 1 ? SignatureAlgorithm.allCases.first(where: contains) : nil
    }

    public func contains(_ algorithm: SignatureAlgorithm) -> Bool {
        bits & algorithm.bit != 0
    }

    public func isSubset(of other: SignatureAlgorithmSet) -> Bool {
        bits & ~other.bits == 0
    }

    public mutating func insert(_ algorithm: SignatureAlgorithm) {
        bits |= algorithm.bit
    }

    public mutating func formUnion(_ other: SignatureAlgorithmSet) {
        bits |= other.bits
    }

    public func union(_ other: SignatureAlgorithmSet) -> SignatureAlgorithmSet {
        var result = self
        result.formUnion(other)
        return result
    }

    public func intersection(_ other: SignatureAlgorithmSet) -> SignatureAlgorithmSet {
        var result = self
        result.bits &= other.bits
        return result
    }
}

extension SignatureAlgorithm {
    fileprivate var bit: UInt16 {
        switch self {
        case .rs256: 1 << 0
        case .rs384: 1 << 1
        case .rs512: 1 << 2
        case .ps256: 1 << 3
        case .ps384: 1 << 4
        case .ps512: 1 << 5
        case .es256: 1 << 6
        case .es384: 1 << 7
        case .es512: 1 << 8
        case .ed25519: 1 << 9
        case .ed448: 1 << 10
        }
    }
}
