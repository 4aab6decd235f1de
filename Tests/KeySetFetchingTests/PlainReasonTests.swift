import Files
import NIOCore
import NIOHTTP1
import NIOSSL
import SystemPackage
import Testing

@testable import KeySetFetching

@Suite struct PlainReasonTests {
    @Test func `an error of the operating system is described in its words, with advice`() {
        #expect(
            PlainReason.of(IOError(errnoCode: Errno.noSpace.rawValue, reason: "write(descriptor:pointer:size:)"))
                == "No space left on device (free space there)")
        #expect(
            PlainReason.of(IOError(errnoCode: Errno.connectionRefused.rawValue, reason: "connect"))
                == "Connection refused")
    }

    @Test func `a full device is reported as such`() throws {
        let device = try OpenFile("/dev/full", .writeOnly)
        let error = #expect(throws: Errno.self) { try device.write([1]) }
        #expect(error.map(PlainReason.of) == "No space left on device (free space there)")
    }

    @Test func `an error of our own is described by its description`() {
        #expect(PlainReason.of(StateFileFailure.notDirectory) == "it is not a directory")
    }

    /// Reasons that name no types, calls or source files of a library.
    @Test(arguments: [
        (ChannelError.connectTimeout(.seconds(1)) as any Error & Sendable, "timed out"),
        (ChannelError.inputClosed, "the connection ended"),
        (HTTPParserError.invalidConstant, "the server does not speak HTTP/1.1"),
        (SocketAddressError.unsupported, "this is not an address"),
        (
            NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])),
            "the peer closed the connection during the handshake"
        ),
        (NIOSSLError.handshakeFailed(.zeroReturn), "the peer closed the connection during the handshake"),
        (NIOSSLError.uncleanShutdown, "the connection closed without a TLS close_notify"),
        (NIOSSLExtraError.failedToValidateHostname, "the certificate is for another name"),
        (NIOSSLExtraError.cannotUseIPAddressInSNI, "the host name cannot be in a certificate"),
        (Unforeseen.case, "unexpected error: Unforeseen"),
    ])
    func `an error of a library is described in our words`(_ error: any Error & Sendable, _ words: String) {
        #expect(PlainReason.of(error) == words)
    }

    private enum Unforeseen: Error { case `case` }
}
