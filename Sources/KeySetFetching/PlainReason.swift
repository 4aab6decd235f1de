import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix

/// Why input or output failed, in the operating system's own words where it was the operating system that refused.
///
/// The libraries wrap these words in names of their calls and types, which tell an operator nothing.
enum PlainReason {
    static func of(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription
        case let error as NIOConnectionError: error.connectionErrors.first.map { of($0.error) } ?? "no address to connect to"
        case let error as IOError: words(for: error.errnoCode)
        case ChannelError.connectTimeout(_): "timed out"
        default: ofFoundation(error) ?? "\(error)"
        }
    }

    /// nil: not an error of Foundation's file calls.
    private static func ofFoundation(_ error: any Error) -> String? {
        let found = error as NSError
        let cause = found.userInfo[NSUnderlyingErrorKey] as? NSError ?? found
        guard [NSPOSIXErrorDomain, NSCocoaErrorDomain].contains(cause.domain) else { return nil }
        return cause.localizedFailureReason ?? cause.localizedDescription
    }

    private static func words(for code: CInt) -> String {
        NSError(domain: NSPOSIXErrorDomain, code: Int(code)).localizedFailureReason ?? "error \(code)"
    }
}
