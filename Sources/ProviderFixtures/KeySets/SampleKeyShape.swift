import StrictJSON

/// Members of the JWKs in a key set, in the provider's order (RFC 7517 §4).
///
/// Certificates (`x5c`, `x5t#S256`) are left out even if the provider publishes them: nothing may rely on them, and
/// none are generated here.
public struct SampleKeyShape: Sendable, Hashable {
    let members: [SampleKeyMember]

    /// Shape of Microsoft's keys: without `alg`, with the thumbprint equal to `kid`, and with the issuer it signs for.
    static func entra(issuer: String) -> SampleKeyShape {
        SampleKeyShape(members: [
            .own("kty"), .own("use"), .own("kid"), .keyIDAs("x5t"), .own("n"), .own("e"), .text("issuer", issuer),
        ])
    }

    /// Shape of a few of Microsoft's keys, which also have `cloud_instance_name`.
    static func entra(issuer: String, cloud: String) -> SampleKeyShape {
        SampleKeyShape(
            members: [
                .own("kty"), .own("use"), .own("kid"), .keyIDAs("x5t"), .own("n"), .own("e"),
                .text("cloud_instance_name", cloud),
                .text("issuer", issuer),
            ])
    }

    /// Shape of Microsoft's keys for version 1.0 tokens, which have no `issuer`.
    static let entraV1 = SampleKeyShape(members: [
        .own("kty"), .own("use"), .own("kid"), .keyIDAs("x5t"), .own("n"), .own("e"),
    ])
    /// Shape of the key that the user flows of all B2C tenants share. The key itself has an `nbf`.
    static let userFlow = SampleKeyShape(
        members: [.own("kid"), .number("nbf", 1_493_763_266), .own("use"), .own("kty"), .own("e"), .own("n")])
    static let customPolicy = SampleKeyShape(members: [.own("kid"), .own("use"), .own("kty"), .own("e"), .own("n")])
    /// Shape of an RSA key with all usual members.
    static let rsa = SampleKeyShape(members: [.own("kty"), .own("alg"), .own("use"), .own("kid"), .own("n"), .own("e")])
    static let ellipticCurve = SampleKeyShape(
        members: [.own("kty"), .own("use"), .own("kid"), .own("alg"), .own("crv"), .own("x"), .own("y")])
    /// Shape of an RSA key without `alg`, since several algorithms can use it.
    static let rsaWithoutAlgorithm = SampleKeyShape(members: [
        .own("kty"), .own("use"), .own("kid"), .own("e"), .own("n"),
    ])
    /// Shape of an RSA encryption key.
    static let rsaEncryption = SampleKeyShape(
        members: [.own("kid"), .own("kty"), .text("alg", "RSA-OAEP"), .text("use", "enc"), .own("n"), .own("e")])

    /// Shape of a key in a SPIFFE bundle, whose `use` is the kind of SVID that it signs.
    static func bundled(use: String) -> SampleKeyShape {
        SampleKeyShape(members: [
            .text("use", use), .own("kty"), .own("kid"), .own("crv"), .own("x"), .own("y"), .own("n"), .own("e"),
        ])
    }

    /// Text of the JWK, with values from a complete JWK.
    func jwk(of complete: JSONValue) -> String {
        JSONObjectWriter.text { writer, bytes in
            for member in members { member.write(from: complete, with: &writer, into: &bytes) }
        }
    }
}
