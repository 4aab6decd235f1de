import NIOCore
import NIOPosix
import NIOSSL
import SystemPackage
import TokenVerification
import TransportSecurity

/// Reason that there is no connection to an upstream.
enum UnreachableCause: Hashable {
    case refused
    case nameNotFound
    /// Failed system call, with the operating system's error message.
    case system(String)
    /// Certificate that was not accepted, with the error message.
    case certificate(String)
    /// Failed TLS handshake or TLS alert, with the error message.
    case tls(String)
    /// The connection ended before the request was sent.
    case ended
    /// No target can take the request. The request was not sent.
    case noTarget

    /// Outcome that metrics count for the cause.
    var outcome: UpstreamOutcome {
        switch self {
        case .refused: .connectRefused
        case .nameNotFound: .nameNotFound
        case .certificate: .certificate
        case .tls: .tlsFailed
        case .system, .ended, .noTarget: .connectFailed
        }
    }

    /// Text of the cause in the access log.
    var text: String {
        switch self {
        case .refused: "connection refused"
        case .nameNotFound: "name not found"
        case .system(let words): "no connection: \(words)"
        case .certificate(let fault): fault
        case .tls(let cause): "TLS failed: \(cause)"
        case .ended: "the connection ended before the request was sent"
        case .noTarget: "no target is available"
        }
    }

    // MARK: Connecting

    /// Cause of a failed connection attempt.
    ///
    /// - Parameter error: the error of the attempt, which is not a time-out.
    init(connecting error: any Error) {
        switch error {
        case is UnknownName: self = .nameNotFound
        case let error as IOError: self.init(error)
        case let error as NIOConnectionError:
            if let failure = error.connectionErrors.first(where: { $0.error is IOError }) {
                self.init(connecting: failure.error)
            } else if error.connectionErrors.isEmpty {
                self = .nameNotFound
            } else {
                self = .ended
            }
        default: self = .ended
        }
    }

    private init(_ error: IOError) {
        self = error.errnoCode == ECONNREFUSED ? .refused : .system(Self.words(for: error))
    }

    private static func words(for error: IOError) -> String {
        Errno(rawValue: error.errnoCode).description
    }

    // MARK: TLS

    /// Cause of a failed TLS handshake.
    ///
    /// - Parameters:
    ///   - certificate: the certificate that the upstream showed. Nil if the handshake failed before.
    ///   - expected: the DNS name or IP address that the certificate must contain.
    init(handshake error: any Error, _ certificate: PeerCertificate?, expected: String, at now: NumericDate) {
        switch error {
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self = .certificate(certificate?.mismatch(expected) ?? "the certificate is not for \(expected)")
        case NIOSSLError.handshakeFailed(let failure): self.init(failure, certificate, at: now)
        case let error as IOError: self = .tls(Self.words(for: error))
        default: self = .tls("the peer closed the connection during the handshake")
        }
    }

    private init(_ failure: BoringSSLError, _ certificate: PeerCertificate?, at now: NumericDate) {
        guard case .sslError(let errors) = failure, let first = errors.first, first != .eofDuringHandshake else {
            self = .tls("the peer closed the connection during the handshake")
            return
        }
        guard let reason = TLSReason(failure) else {
            self = .tls("the handshake failed")
            return
        }
        self =
            reason.isOfCertificate
            ? .certificate(certificate?.invalidity(at: now) ?? PeerCertificate.distrust) : .tls(reason.words)
    }

    /// Alert that the upstream sent after the handshake. Nil if the error is not an alert.
    ///
    /// In TLS 1.3 a server verifies the client's certificate only after the handshake (RFC 8446 §4.4.2.4).
    init?(alert error: any Error) {
        guard let failure = error as? BoringSSLError, let reason = TLSReason(failure), reason.isAlert else {
            return nil
        }
        self = .tls(reason.words)
    }
}
