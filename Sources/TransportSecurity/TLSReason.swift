import NIOSSL

/// Reason that the TLS library gave for a failure, without source locations in the library.
public struct TLSReason: Sendable, Hashable {
    /// The library's name of the error, such as `WRONG_VERSION_NUMBER`.
    private let name: String

    /// Parses the library's error. Nil if it gives no reason, or the peer closed the connection during the handshake.
    public init?(_ error: BoringSSLError) {
        guard case .sslError(let errors) = error, let first = errors.first, first != .eofDuringHandshake else {
            return nil
        }
        // `Error: 268435703 error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at …/file.cc:231`
        guard let found = "\(first)".firstMatch(of: #/:([A-Z0-9_]+)\ at\ /#) else { return nil }
        name = String(found.output.1)
    }

    /// True if the peer's certificate could not be verified.
    public var isOfCertificate: Bool { name == "CERTIFICATE_VERIFY_FAILED" }

    /// True if the peer rejected the handshake with an alert (RFC 8446 §6).
    public var isAlert: Bool { name.contains("_ALERT_") }

    public var words: String {
        switch name {
        case "WRONG_VERSION_NUMBER": "the peer did not answer with TLS"
        case "UNSUPPORTED_PROTOCOL", "TLSV1_ALERT_PROTOCOL_VERSION": "no common TLS version"
        case "CERTIFICATE_VERIFY_FAILED":
            "the certificate is not trusted, or not valid now; set `ca_file` to trust another CA"
        default: name.lowercased().replacing("_", with: " ")
        }
    }

    /// Text for any error that the library throws for settings.
    static func refusal(_ error: any Error) -> String { words(error) ?? "the TLS library refused" }

    /// Text for any error of the TLS library. Nil for other errors.
    public static func words(_ error: any Error) -> String? {
        switch error {
        case NIOSSLError.handshakeFailed(let failure):
            TLSReason(failure)?.words ?? "the peer closed the connection during the handshake"
        case let error as BoringSSLError:
            TLSReason(error)?.words ?? "the peer closed the connection during the handshake"
        case NIOSSLError.uncleanShutdown: "the connection closed without a TLS close_notify"
        case is NIOSSLError: "the TLS library refused"
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "the certificate is for another name"
        case is NIOSSLExtraError: "the host name cannot be in a certificate"
        default: nil
        }
    }
}
