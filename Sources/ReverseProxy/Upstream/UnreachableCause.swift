import NIOCore
import NIOPosix
import NIOSSL
import SystemPackage
import TokenVerification
import TransportSecurity

/// Why there is no connection to an upstream.
enum UnreachableCause: Hashable {
    case refused
    case nameNotFound
    /// In the operating system's words.
    case system(String)
    /// What is wrong with the certificate that the upstream showed.
    case certificate(String)
    /// Why there is no TLS with it.
    case tls(String)
    /// The connection ended before the request was sent.
    case ended
    /// The file names no target.
    case noTarget

    /// What it is counted as.
    var outcome: UpstreamOutcome {
        switch self {
        case .refused: .connectRefused
        case .nameNotFound: .nameNotFound
        case .certificate: .certificate
        case .tls: .tlsFailed
        case .system, .ended, .noTarget: .connectFailed
        }
    }

    /// What the access log says of it.
    var text: String {
        switch self {
        case .refused: "connection refused"
        case .nameNotFound: "name not found"
        case .system(let words): "no connection: \(words)"
        case .certificate(let fault): fault
        case .tls(let cause): "no TLS: \(cause)"
        case .ended: "the connection ended before the request was sent"
        case .noTarget: "there is no target that requests may go to"
        }
    }

    // MARK: Connecting

    /// - Parameter error: of a connection that was never there, and not because of a time-out.
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

    /// - Parameters:
    ///   - certificate: what the upstream showed, if it came so far.
    ///   - expected: the name or address that its certificate has to have.
    init(handshake error: any Error, _ certificate: PeerCertificate?, expected: String, at now: NumericDate) {
        switch error {
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self = .certificate(certificate?.mismatch(expected) ?? "the certificate is not for \(expected)")
        case NIOSSLError.handshakeFailed(let failure): self.init(failure, certificate, at: now)
        case let error as IOError: self = .tls(Self.words(for: error))
        default: self = .tls("the connection ended within the handshake")
        }
    }

    private init(_ failure: BoringSSLError, _ certificate: PeerCertificate?, at now: NumericDate) {
        guard case .sslError(let errors) = failure, let first = errors.first, first != .eofDuringHandshake else {
            self = .tls("the connection ended within the handshake")
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

    /// An alert by which the upstream objects once the handshake is over; nil: the error is not that.
    ///
    /// With TLS 1.3 a server judges the client's certificate only then (RFC 8446 §4.4.2.4).
    init?(alert error: any Error) {
        guard let failure = error as? BoringSSLError, let reason = TLSReason(failure), reason.isAlert else {
            return nil
        }
        self = .tls(reason.words)
    }
}
