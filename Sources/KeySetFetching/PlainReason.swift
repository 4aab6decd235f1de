import AsyncHTTPClient
import Files
import NIOCore
import NIOHTTP1
import NIOPosix
import SystemPackage
import TransportSecurity

/// Words for an operator about a failed input or output: the operating system's own if it refused the call.
///
/// The libraries wrap failures in names of their calls, types and source files, which mean nothing to an operator.
package enum PlainReason {
    package static func of(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { of($0.error) } ?? "no address to connect to"
        case let error as IOError: Errno(rawValue: error.errnoCode).words
        case let error as Errno: error.words
        case ChannelError.connectTimeout(_): "timed out"
        case is ChannelError: "the connection ended"
        case is HTTPParserError: "what answers there does not speak HTTP/1.1"
        case is SocketAddressError.UnknownHost: "the name has no address"
        case is SocketAddressError: "this is not an address"
        default: TLSReason.words(error) ?? own(error)
        }
    }

    /// Errors of ours describe themselves. Any other is told by its type, for whoever asks us about it.
    private static func own(_ error: any Error) -> String {
        (error as? any CustomStringConvertible)?.description ?? "unforeseen: \(type(of: error))"
    }
}
