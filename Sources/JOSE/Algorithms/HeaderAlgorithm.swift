/// Value of `alg`: one algorithm, or EdDSA, for which the key's curve decides (RFC 8037 §3.1).
public enum HeaderAlgorithm: Sendable, Hashable {
    case exact(SignatureAlgorithm)
    case edDSA

    /// Nil for every name outside the table, compared byte for byte.
    public init?(name: String) {
        if let algorithm = SignatureAlgorithm(rawValue: name) {
            self = .exact(algorithm)
        } else if name == "EdDSA" {
            self = .edDSA
        } else {
            return nil
        }
    }

    public var name: String {
        switch self {
        case .exact(let algorithm): algorithm.rawValue
        case .edDSA: "EdDSA"
        }
    }

    /// The algorithms it may turn out to be.
    public var algorithms: SignatureAlgorithmSet {
        switch self {
        case .exact(let algorithm): [algorithm]
        case .edDSA: [.ed25519, .ed448]
        }
    }

    /// The one algorithm it is for a key usable with those given; nil if the key does not fit.
    public func resolved(for usable: SignatureAlgorithmSet) -> SignatureAlgorithm? {
        algorithms.intersection(usable).sole
    }
}
