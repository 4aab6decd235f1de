import StrictJSON

/// Strictness for the form of a JWK.
enum JWKForm: Sendable, Hashable {
    /// To the letter of RFC 7517 and RFC 7518, as Bearward writes its own files.
    case exact
    /// Form of real servers' key sets: serializers write `null` or `[]` for absent members, and base64 in other
    /// spellings.
    case published
}

/// The members of one JWK, and what is unusual in how those that were read are written.
struct JWKMembers {
    let form: JWKForm
    private(set) var deviations: JWKDeviations = []

    private let jwk: JSONValue

    init(_ jwk: JSONValue, _ form: JWKForm) {
        self.jwk = jwk
        self.form = form
    }

    /// The member of that name; nil if it is absent, or in a published key `null` or `[]`.
    subscript(member name: StaticString) -> JSONValue? {
        guard let value = jwk[member: name] else { return nil }
        if form == .published, value.isNull || value.kind == .array && value.count == 0 { return nil }
        return value
    }

    /// The bytes of a member of the key itself.
    mutating func material(_ name: KeyMember) throws(JSONWebKeyRejection) -> [UInt8] {
        guard let value = self[member: name.name] else {
            // Nothing may rely on a certificate here, so a key that has no more than one has no material.
            throw self[member: "x5c"] == nil ? .materialMissing(name) : .onlyCertificate
        }
        guard let bytes = decoded(value), !bytes.isEmpty else { throw .materialMalformed(name) }
        return bytes
    }

    /// A coordinate of an elliptic curve in its full length.
    mutating func coordinate(_ name: KeyMember, of curve: Curve) throws(JSONWebKeyRejection) -> [UInt8] {
        let coordinate = try material(name)
        let missing = curve.coordinateByteCount &- coordinate.count
        if missing == 0 { return coordinate }
        // A big-endian number is the same number with zeros in front; one that is too long may be of another curve.
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

/// A member that has a part of a public key (RFC 7518 §6.2.1, §6.3.1).
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
