import AsyncHTTPClient
import NIOCore
import NIOPosix
import SystemPackage

/// Why input or output failed, in the operating system's own words where it was the operating system that refused.
///
/// The libraries wrap these words in names of their calls and types, which tell an operator nothing.
package enum PlainReason {
    package static func of(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription
        case let error as NIOConnectionError: error.connectionErrors.first.map { of($0.error) } ?? "no address to connect to"
        case let error as IOError: Errno(rawValue: error.errnoCode).description
        case ChannelError.connectTimeout(_): "timed out"
        default: "\(error)"
        }
    }
}
