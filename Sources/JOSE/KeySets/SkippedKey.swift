/// A key of a set that is not used, and the reason.
public struct SkippedKey: Sendable, Hashable {
    /// The `kid`. Nil if it is absent or itself invalid.
    public let keyID: String?
    /// The one algorithm that the key is for. Nil if it is for several, or if its algorithms are not known.
    public let algorithm: SignatureAlgorithm?
    /// Index of the key in the set, from zero.
    public let index: Int
    public let reason: JSONWebKeyRejection

    public init(keyID: String?, algorithm: SignatureAlgorithm? = nil, index: Int, reason: JSONWebKeyRejection) {
        self.keyID = keyID
        self.algorithm = algorithm
        self.index = index
        self.reason = reason
    }
}

extension SkippedKey: CustomStringConvertible {
    /// Name of the key, and the cause: "key 0 `k1` (RS256): its modulus is shorter than 2,048 bits".
    public var description: String {
        "\(KeyName(index: index, keyID: keyID))\(algorithm.map { " (\($0.rawValue))" } ?? ""): \(reason)"
    }

    /// The first `most` of several skipped keys, in one line.
    public static func listed(_ keys: [SkippedKey], most: Int = 8) -> String {
        let more = keys.count > most ? "; and \(keys.count &- most) more" : ""
        return "\(keys.prefix(most).map(\.description).joined(separator: "; "))\(more)"
    }
}

/// A well-formed key that the set writes in an unusual way.
public struct UnusualKey: Sendable, Hashable {
    public let keyID: String?
    /// Index of the key in the set, from zero.
    public let index: Int
    public let deviations: JWKDeviations

    public init(keyID: String?, index: Int, deviations: JWKDeviations) {
        self.keyID = keyID
        self.index = index
        self.deviations = deviations
    }
}

extension UnusualKey: CustomStringConvertible {
    /// Description of the deviations, without the key's name.
    public var cause: String { "it is used, but is written with \(deviations)" }

    /// Name of the key, and its deviations.
    public var description: String { "\(KeyName(index: index, keyID: keyID)): \(cause)" }
}

/// Name of a key for operators: its index in the set, and its key ID if it has one.
private struct KeyName: CustomStringConvertible {
    let index: Int
    let keyID: String?

    var description: String { "key \(index)\(keyID.map { " `\($0.printable(upTo: 64))`" } ?? "")" }
}
