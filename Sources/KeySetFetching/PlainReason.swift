import AsyncHTTPClient
import Files
import NIOCore
import NIOHTTP1
import NIOPosix
import SystemPackage
import TransportSecurity

/// Reason why input or output failed, in words for an operator. For failures of the operating system these are its own
/// words.
///
/// The libraries' own messages contain names of calls, types and source files, which do not help an operator.
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
        case is HTTPParserError: "the server does not speak HTTP/1.1"
        case is SocketAddressError.UnknownHost: "the name has no address"
        case is SocketAddressError: "this is not an address"
        default: TLSReason.words(error) ?? own(error)
        }
    }

    /// Description of an error of this project. Any other error is named by its type, for bug reports.
    private static func own(_ error: any Error) -> String {
        (error as? any CustomStringConvertible)?.description ?? "unexpected error: \(type(of: error))"
    }
}
