import NIOSSL

/// Why the TLS library refused, without where in the library, and where that was built.
public struct TLSReason: Sendable, Hashable {
    /// The library's name of it, `WRONG_VERSION_NUMBER`.
    private let name: String

    /// Nil if the library says no more than that it failed, or the other side ended the connection.
    public init?(_ error: BoringSSLError) {
        guard case .sslError(let errors) = error, let first = errors.first, first != .eofDuringHandshake else {
            return nil
        }
        // `Error: 268435703 error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at …/file.cc:231`
        guard let found = "\(first)".firstMatch(of: #/:([A-Z0-9_]+)\ at\ /#) else { return nil }
        name = String(found.output.1)
    }

    /// Whether the certificate that was shown does not hold.
    public var isOfCertificate: Bool { name == "CERTIFICATE_VERIFY_FAILED" }

    /// Whether the other side refused, and sent an alert (RFC 8446 §6).
    public var isAlert: Bool { name.contains("_ALERT_") }

    public var words: String {
        switch name {
        case "WRONG_VERSION_NUMBER": "the answer is not TLS"
        case "UNSUPPORTED_PROTOCOL", "TLSV1_ALERT_PROTOCOL_VERSION": "no version of TLS that both speak"
        case "CERTIFICATE_VERIFY_FAILED":
            "the certificate is not trusted, or not valid now; `ca_file` names other trust anchors than the system's"
        default: name.lowercased().replacing("_", with: " ")
        }
    }

    /// Words for whatever the library throws for settings.
    static func refusal(_ error: any Error) -> String { words(error) ?? "the TLS library refused" }

    /// Words for an error of the library's, whatever its type; nil: it is none.
    public static func words(_ error: any Error) -> String? {
        switch error {
        case NIOSSLError.handshakeFailed(let failure):
            TLSReason(failure)?.words ?? "the connection ended within the handshake"
        case let error as BoringSSLError: TLSReason(error)?.words ?? "the connection ended within the handshake"
        case NIOSSLError.uncleanShutdown: "the connection ended without an end of TLS"
        case is NIOSSLError: "the TLS library refused"
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "the certificate is for another name"
        case is NIOSSLExtraError: "the name cannot be one of a certificate"
        default: nil
        }
    }
}
