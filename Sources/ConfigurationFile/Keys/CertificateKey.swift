/// The keys of a certificate and its private key.
enum CertificateKey: String, ConfigurationKey {
    case certificate, key

    static let section = SectionReference("certificates", "A certificate and its private key.", of: CertificateKey.self)

    var reference: KeyReference {
        switch self {
        case .certificate:
            KeyReference(
                .text("a path"), .refused(hint: "write the path of the certificate and its chain in PEM"),
                "The certificate and its chain in PEM.", example: "./server.pem")
        case .key:
            KeyReference(
                .text("a path"), .refused(hint: "write the path of the certificate's private key in PEM"),
                "Its private key in PEM, without a passphrase.", example: "./server.key")
        }
    }
}
