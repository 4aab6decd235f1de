import StrictJSON

/// Members of the JWKs of a key set, in the provider's order (RFC 7517 §4).
///
/// Certificates (`x5c`, `x5t#S256`) are left out even if a provider sends them: nothing may rely on them, and none is
/// made up here.
public struct SampleKeyShape: Sendable, Hashable {
    let members: [SampleKeyMember]

    /// Microsoft's: no `alg`, the thumbprint is the `kid`, and each key names the issuer it signs for.
    static func entra(issuer: String) -> SampleKeyShape {
        SampleKeyShape(members: [
            .own("kty"), .own("use"), .own("kid"), .keyIDAs("x5t"), .own("n"), .own("e"), .text("issuer", issuer),
        ])
    }

    /// The same with the member that a few of Microsoft's keys have.
    static func entra(issuer: String, cloud: String) -> SampleKeyShape {
        SampleKeyShape(
            members: [
                .own("kty"), .own("use"), .own("kid"), .keyIDAs("x5t"), .own("n"), .own("e"),
                .text("cloud_instance_name", cloud),
                .text("issuer", issuer),
            ])
    }

    /// At the endpoint for tokens of version 1 no key names an issuer.
    static let entraV1 = SampleKeyShape(members: [
        .own("kty"), .own("use"), .own("kid"), .keyIDAs("x5t"), .own("n"), .own("e"),
    ])
    /// The key that the user flows of all tenants share; `nbf` is a member of the key.
    static let userFlow = SampleKeyShape(
        members: [.own("kid"), .number("nbf", 1_493_763_266), .own("use"), .own("kty"), .own("e"), .own("n")])
    static let customPolicy = SampleKeyShape(members: [.own("kid"), .own("use"), .own("kty"), .own("e"), .own("n")])
    /// RSA keys with all that is usual.
    static let rsa = SampleKeyShape(members: [.own("kty"), .own("alg"), .own("use"), .own("kid"), .own("n"), .own("e")])
    static let ellipticCurve = SampleKeyShape(
        members: [.own("kty"), .own("use"), .own("kid"), .own("alg"), .own("crv"), .own("x"), .own("y")])
    /// Several algorithms fit an RSA key, so none is named.
    static let rsaWithoutAlgorithm = SampleKeyShape(members: [
        .own("kty"), .own("use"), .own("kid"), .own("e"), .own("n"),
    ])
    /// A key that others encrypt with.
    static let rsaEncryption = SampleKeyShape(
        members: [.own("kid"), .own("kty"), .text("alg", "RSA-OAEP"), .text("use", "enc"), .own("n"), .own("e")])

    /// In a bundle of SPIFFE, for one of its two kinds of documents.
    static func bundled(use: String) -> SampleKeyShape {
        SampleKeyShape(members: [
            .text("use", use), .own("kty"), .own("kid"), .own("crv"), .own("x"), .own("y"), .own("n"), .own("e"),
        ])
    }

    /// The text of the JWK, made of the members of a complete one.
    func jwk(of complete: JSONValue) -> String {
        JSONObjectWriter.text { writer, bytes in
            for member in members { member.write(from: complete, with: &writer, into: &bytes) }
        }
    }
}
