import StrictJSON

/// The public key a JWK describes (RFC 7518 §6, RFC 8037 §2), its shape checked but not yet known to libcrypto.
enum PublicKeyMaterial: Sendable, Hashable {
    case rsa(RSAPublicKey)
    case ellipticCurve(Curve, x: [UInt8], y: [UInt8])
    case octetKeyPair(Curve, x: [UInt8])

    init(jwk: JSONValue, keyType: KeyType) throws(JSONWebKeyRejection) {
        switch keyType {
        case .rsa:
            self = .rsa(try RSAPublicKey(modulus: Self.bytes(of: "n", in: jwk), exponent: Self.bytes(of: "e", in: jwk)))
        case .ellipticCurve:
            let curve = try Self.curve(of: jwk, keyType: keyType)
            self = .ellipticCurve(
                curve,
                x: try Self.coordinate(of: "x", in: jwk, curve: curve),
                y: try Self.coordinate(of: "y", in: jwk, curve: curve),
            )
        case .octetKeyPair:
            let curve = try Self.curve(of: jwk, keyType: keyType)
            let x = try Self.coordinate(of: "x", in: jwk, curve: curve)
            try EdwardsPublicKey.check(x, curve: curve)
            self = .octetKeyPair(curve, x: x)
        }
    }

    var curve: Curve? {
        switch self {
        case .rsa: nil
        case .ellipticCurve(let curve, _, _), .octetKeyPair(let curve, _): curve
        }
    }

    /// What RFC 7638 §3 hashes: the required members in lexicographic order, without white space.
    var thumbprintInput: String {
        switch self {
        case .rsa(let key):
            #"{"e":"\#(Base64URL.encode(key.exponent))","kty":"RSA","n":"\#(Base64URL.encode(key.modulus))"}"#
        case .ellipticCurve(let curve, let x, let y):
            #"{"crv":"\#(curve.rawValue)","kty":"EC","x":"\#(Base64URL.encode(x))","y":"\#(Base64URL.encode(y))"}"#
        case .octetKeyPair(let curve, let x):
            #"{"crv":"\#(curve.rawValue)","kty":"OKP","x":"\#(Base64URL.encode(x))"}"#
        }
    }

    private static func curve(of jwk: JSONValue, keyType: KeyType) throws(JSONWebKeyRejection) -> Curve {
        guard let name = jwk[member: "crv"]?.string, let curve = Curve(rawValue: name), curve.keyType == keyType else {
            throw .curveUnknown
        }
        return curve
    }

    private static func coordinate(of name: StaticString, in jwk: JSONValue, curve: Curve) throws(JSONWebKeyRejection) -> [UInt8] {
        let coordinate = try bytes(of: name, in: jwk)
        guard coordinate.count == curve.coordinateByteCount else { throw .coordinateLength }
        return coordinate
    }

    private static func bytes(of name: StaticString, in jwk: JSONValue) throws(JSONWebKeyRejection) -> [UInt8] {
        let decoded = jwk[member: name]?.withStringBytes { text in Base64URL.decode(text) }
        guard case .some(.some(let bytes)) = decoded, !bytes.isEmpty else { throw .materialMalformed }
        return bytes
    }
}
