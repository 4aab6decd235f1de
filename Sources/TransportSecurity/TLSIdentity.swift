import MetricFamilies
import NIOSSL
import ProxySettings

/// A certificate chain with its private key, presented by the gateway as server or as client.
public struct TLSIdentity: Sendable {
    /// Certificate chain, the leaf first (RFC 8446 §4.4.2).
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    /// DNS names of the certificate, in lower case. Other kinds of names are left out (RFC 6125 §6.4).
    public let names: [String]
    /// Validity period of the leaf.
    public let period: CertificatePeriod

    /// Reads both from PEM. Not checked: the certificate's issuer, and whether it is valid now.
    ///
    /// - Parameters:
    ///   - certificate: The leaf, then its issuers.
    ///   - key: The leaf's private key, without a passphrase.
    public init(certificate: [UInt8], key: [UInt8]) throws(TLSIdentityProblem) {
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(certificate), let leaf = chain.first else {
            throw .noCertificate
        }
        guard !Self.isEncrypted(key) else { throw .encryptedKey }
        guard let key = try? NIOSSLPrivateKey(bytes: key, format: .pem) else { throw .noKey }
        self.chain = chain
        self.key = key
        names = leaf.dnsNames
        period = leaf.period
        // Only creating a context checks that the key belongs to the certificate.
        guard
            (try? NIOSSLContext(
                configuration: .makeServerConfiguration(certificateChain: sources, privateKey: .privateKey(key))))
                != nil
        else { throw .keyOfAnotherCertificate }
    }

    var sources: [NIOSSLCertificateSource] { chain.map { .certificate($0) } }

    private static func isEncrypted(_ key: [UInt8]) -> Bool {
        let text = String(decoding: key, as: UTF8.self)
        return text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
    }
}

extension TLSIdentity {
    public static func family(of identities: [TLSIdentity]) -> MetricFamily {
        .gauge(
            "bearward_certificate_not_after_timestamp_seconds",
            "When a listener's certificate expires, in seconds since 1970.",
            identities.map { MetricFamily.Sample(Double($0.period.notAfter), [("name", $0.names.first ?? "")]) })
    }
}
