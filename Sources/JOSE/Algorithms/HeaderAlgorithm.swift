/// Value of `alg`: one algorithm, or EdDSA, for which the key's curve decides (RFC 8037 §3.1).
public enum HeaderAlgorithm: Sendable, Hashable {
    case exact(SignatureAlgorithm)
    case edDSA

    /// Finds an algorithm by its name, compared byte for byte. Nil if the name is not in the table.
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

    /// The algorithms that the name can mean: one, or for EdDSA one for each curve.
    public var algorithms: SignatureAlgorithmSet {
        switch self {
        case .exact(let algorithm): [algorithm]
        case .edDSA: [.ed25519, .ed448]
        }
    }

    /// The one algorithm that the name means for a key that can be used with `usable`. Nil if the key does not fit.
    public func resolved(for usable: SignatureAlgorithmSet) -> SignatureAlgorithm? {
        algorithms.intersection(usable).sole
    }
}
