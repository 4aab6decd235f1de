import JOSE
import TokenVerification

/// Configuration keys of an element of an issuer's `keys`.
final class PEMKeyKeys: SectionKeys {
    static let section = SectionReference(
        "keys", "A public key or certificate in PEM, with its key ID.", of: PEMKeyKeys.self)

    let keyID = Key(
        "kid", KeyForm(.text("a key ID"), PEMKeysReader.keyID),
        .refused(hint: "write the `kid` of the tokens that it signs"),
        "The `kid` of the tokens that the key signs, byte for byte. No other key of the list may have it.",
        example: "2026-01")
    let pemFile = Key(
        "pem_file", form: .text("a path"),
        .refused(hint: "write the path of a file with a public key or a certificate in PEM"),
        "A file with one `PUBLIC KEY`, `RSA PUBLIC KEY` or `CERTIFICATE` in PEM. It is read again when it changes. "
            + "A certificate's validity times do not decide; `check` warns when it has expired.",
        example: "./a.pem")
}
