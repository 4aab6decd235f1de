import JOSE

/// A certificate that a client presented in the TLS handshake, and proved to own. A class, so that requests share it.
public final class ClientCertificate: Sendable {
    public let thumbprint: CertificateThumbprint
    /// Value of `Client-Cert`: the certificate's DER as a byte sequence (RFC 9440 §2.1, RFC 8941 §3.3.5).
    public let fieldValue: [UInt8]

    /// - Parameter encoded: the certificate in DER. The result is nil only if the cryptographic library failed.
    public init?(_ encoded: [UInt8]) {
        guard let thumbprint = CertificateThumbprint(ofCertificate: encoded) else { return nil }
        self.thumbprint = thumbprint
        fieldValue = Self.byteSequence(encoded)
    }

    /// Writes a byte sequence of a structured field: base64 with padding (RFC 4648 §4) between colons.
    private static func byteSequence(_ bytes: [UInt8]) -> [UInt8] {
        var text = [UInt8(ascii: ":")]
        for byte in Base64URL.encodedBytes(bytes.span) {
            switch byte {
            case UInt8(ascii: "-"): text.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): text.append(UInt8(ascii: "/"))
            default: text.append(byte)
            }
        }
        while text.count % 4 != 1 { text.append(UInt8(ascii: "=")) }
        text.append(UInt8(ascii: ":"))
        return text
    }
}
