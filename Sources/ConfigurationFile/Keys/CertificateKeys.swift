/// Configuration keys of a certificate and its private key.
final class CertificateKeys: SectionKeys {
    static let section = SectionReference(
        "certificates", "A certificate and its private key.", of: CertificateKeys.self)

    let certificate = Key(
        "certificate", form: .text("a path"),
        .refused(hint: "write the path of the certificate and its chain in PEM"),
        "The certificate and its chain in PEM.", example: "./server.pem")
    let key = Key(
        "key", form: .text("a path"), .refused(hint: "write the path of the certificate's private key in PEM"),
        "Its private key in PEM, without a passphrase.", example: "./server.key")
}
