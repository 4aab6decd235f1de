import StrictJSON

/// Strictness of the reading of a JWK.
enum JWKForm: Sendable, Hashable {
    /// Exactly the syntax of RFC 7517 and RFC 7518, as in the files that Bearward writes.
    case exact
    /// The syntax of real servers' key sets: serializers write `null` or `[]` for absent members, and base64 in other
    /// spellings.
    case published
}

/// The members of one JWK, and the deviations in those that were read.
struct JWKMembers {
    let form: JWKForm
    private(set) var deviations: JWKDeviations = []

    private let jwk: JSONValue

    init(_ jwk: JSONValue, _ form: JWKForm) {
        self.jwk = jwk
        self.form = form
    }

    /// The member with this name. Nil if it is absent, or is `null` or `[]` in a published key.
    subscript(member name: StaticString) -> JSONValue? {
        guard let value = jwk[member: name] else { return nil }
        if form == .published, value.isNull || value.kind == .array && value.count == 0 { return nil }
        return value
    }

    /// The decoded bytes of a member with key material.
    mutating func material(_ name: KeyMember) throws(JSONWebKeyRejection) -> [UInt8] {
        guard let value = self[member: name.name] else {
            // Certificates are never relied on here, so a key with only a certificate has no material.
            throw self[member: "x5c"] == nil ? .materialMissing(name) : .onlyCertificate
        }
        guard let bytes = decoded(value), !bytes.isEmpty else { throw .materialMalformed(name) }
        return bytes
    }

    /// A coordinate of an elliptic curve, padded to its full length.
    mutating func coordinate(_ name: KeyMember, of curve: Curve) throws(JSONWebKeyRejection) -> [UInt8] {
        let coordinate = try material(name)
        let missing = curve.coordinateByteCount &- coordinate.count
        if missing == 0 { return coordinate }
        // Leading zeros do not change a big-endian number. A coordinate that is too long may be of another curve.
        guard form == .published, missing > 0 else { throw .coordinateLength(name) }
        deviations.insert(.shortCoordinate)
        return Array([[UInt8](repeating: 0, count: missing), coordinate].joined())
    }

    private mutating func decoded(_ value: JSONValue) -> [UInt8]? {
        switch form {
        case .exact: return value.withStringBytes { text in Base64URL.decode(text) } ?? nil
        case .published:
            guard let read = value.withStringBytes({ text in PublishedBase64(text) }) ?? nil else { return nil }
            deviations.formUnion(read.deviations)
            return read.bytes
        }
    }
}

/// Member that contains a part of a public key (RFC 7518 §6.2.1, §6.3.1).
public enum KeyMember: String, Sendable, Hashable {
    case modulus = "n"
    case exponent = "e"
    case x, y

    var name: StaticString {
        switch self {
        case .modulus: "n"
        case .exponent: "e"
        case .x: "x"
        case .y: "y"
        }
    }
}
