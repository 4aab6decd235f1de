import StrictJSON

/// The public key that a JWK describes (RFC 7518 §6, RFC 8037 §2). Its form is checked, but libcrypto has not loaded
/// it.
enum PublicKeyMaterial: Sendable, Hashable {
    case rsa(RSAPublicKey)
    case ellipticCurve(Curve, x: [UInt8], y: [UInt8])
    case octetKeyPair(Curve, x: [UInt8])

    init(_ members: inout JWKMembers, keyType: KeyType) throws(JSONWebKeyRejection) {
        switch keyType {
        case .rsa:
            self = .rsa(try RSAPublicKey(modulus: members.material(.modulus), exponent: members.material(.exponent)))
        case .ellipticCurve:
            let curve = try Self.curve(of: members, keyType: keyType)
            let x = try members.coordinate(.x, of: curve)
            self = .ellipticCurve(curve, x: x, y: try members.coordinate(.y, of: curve))
        case .octetKeyPair:
            let curve = try Self.curve(of: members, keyType: keyType)
            // An octet string, not a number, so leading zeros must not be left out (RFC 8037 §2).
            let x = try members.material(.x)
            guard x.count == curve.coordinateByteCount else { throw .coordinateLength(.x) }
            try EdwardsPublicKey.check(x, curve: curve)
            self = .octetKeyPair(curve, x: x)
        }
    }

    var keyType: KeyType {
        switch self {
        case .rsa: .rsa
        case .ellipticCurve: .ellipticCurve
        case .octetKeyPair: .octetKeyPair
        }
    }

    var curve: Curve? {
        switch self {
        case .rsa: nil
        case .ellipticCurve(let curve, _, _), .octetKeyPair(let curve, _): curve
        }
    }

    /// Input of the thumbprint (RFC 7638 §3): the required members in lexicographic order, without white space.
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

    private static func curve(of members: JWKMembers, keyType: KeyType) throws(JSONWebKeyRejection) -> Curve {
        guard let name = members[member: "crv"]?.string, let curve = Curve(rawValue: name), curve.keyType == keyType
        else {
            throw .curveUnknown
        }
        return curve
    }
}
