import Foundation
import NIOCore
import NIOSSL
import Testing
import TokenVerification

@testable import ReverseProxy

struct UnreachableCauseTests {
    @Test(arguments: [
        (
            UnknownName() as any Error & Sendable, UnreachableCause.nameNotFound, UpstreamOutcome.nameNotFound,
            "name not found"
        ),
        (IOError(errnoCode: ECONNREFUSED, reason: "connect"), .refused, .connectRefused, "connection refused"),
        (
            IOError(errnoCode: EHOSTUNREACH, reason: "connect"), .system("No route to host"), .connectFailed,
            "no connection: No route to host"
        ),
        (ChannelError.eof, .ended, .connectFailed, "the connection ended before the request was sent"),
    ])
    func `the reason for a failed connection is reported in plain words`(
        error: any Error & Sendable, cause: UnreachableCause, outcome: UpstreamOutcome, text: String
    ) {
        let found = UnreachableCause(connecting: error)
        #expect(found == cause)
        #expect(found.outcome == outcome)
        #expect(found.text == text)
    }

    @Test(arguments: [
        (
            ChannelError.ioOnClosedChannel as any Error & Sendable,
            "TLS failed: the peer closed the connection during the handshake"
        ),
        (
            NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])),
            "TLS failed: the peer closed the connection during the handshake"
        ),
        (IOError(errnoCode: ECONNRESET, reason: "read"), "TLS failed: Connection reset by peer"),
        (NIOSSLExtraError.failedToValidateHostname, "the certificate is not for api.example"),
    ])
    func `the reason for a failed TLS handshake is reported in plain words`(error: any Error & Sendable, text: String) {
        let found = UnreachableCause(handshake: error, nil, expected: "api.example", at: NumericDate(seconds: 0))
        #expect(found.text == text)
    }

    private static func certificate(_ names: [String]) -> PeerCertificate {
        PeerCertificate(names: names, notBefore: NumericDate(seconds: 1000), notAfter: NumericDate(seconds: 2000))
    }

    @Test func `a certificate outside its validity is reported with the time, to the second`() {
        let certificate = Self.certificate([])
        #expect(
            certificate.invalidity(at: NumericDate(seconds: 2001)) == "the certificate expired at 1970-01-01T00:33:20Z")
        #expect(certificate.invalidity(at: NumericDate(seconds: 2000)) == PeerCertificate.distrust)
        #expect(certificate.invalidity(at: NumericDate(seconds: 1000)) == PeerCertificate.distrust)
        #expect(
            certificate.invalidity(at: NumericDate(seconds: 999))
                == "the certificate is not valid before 1970-01-01T00:16:40Z")
    }

    @Test func `names in an upstream certificate are truncated, and only five are reported`() {
        #expect(Self.certificate([]).mismatch("a") == "the certificate contains no name; expected: a")
        let five = (1...5).map { "\($0).example" }
        #expect(
            Self.certificate(five).mismatch("a")
                == "the certificate is for \(five.joined(separator: ", ")); expected: a")
        #expect(Self.certificate(five + ["6"]).mismatch("a").hasSuffix("5.example, …; expected: a"))
        let long = String(repeating: "x", count: PeerCertificate.longestName)
        #expect(Self.certificate([long + "y"]).mismatch("a") == "the certificate is for \(long); expected: a")
    }
}
