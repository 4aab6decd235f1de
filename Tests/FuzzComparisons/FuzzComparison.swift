import FuzzTargets
import HTTPMessages
import NIOCore
import NIOEmbedded
import NIOHTTP1

/// Like ``FuzzTarget``, for targets that need the network library, for comparison or for its buffers.
///
/// A separate module, so that other targets are built without that library.
public enum FuzzComparison: String, CaseIterable, Sendable {
    case requestDifference = "request-difference"
    case http2Connection = "http2-connection"
    case cookieCrumbs = "cookie-crumbs"

    public func run(_ bytes: [UInt8]) {
        switch self {
        case .requestDifference: Self.requestDifference(bytes)
        case .http2Connection: Self.http2Connection(bytes)
        case .cookieCrumbs: Self.cookieCrumbs(bytes)
        }
    }

    /// Checks that SwiftNIO reads an accepted head the same way: method, target and fields.
    static func requestDifference(_ bytes: [UInt8]) {
        var parser = RequestHeadParser()
        guard (try? parser.parse(bytes.span)) == .complete else { return }
        let head = parser.head
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        guard (try? channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))) != nil
        else { return }
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes.prefix(head.byteCount)))
        guard case .head(let peer)? = try? channel.readInbound(as: HTTPServerRequestPart.self) else {
            // SwiftNIO accepts only the methods on its list, and no tab after a length, which RFC 9110 §5.5 allows.
            let isKnown = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"].contains(
                head.string(head.method))
            let hasTab = head.fields.contains {
                $0.known == .contentLength && head.bytes[$0.value.upperBound] == UInt8(ascii: "\t")
            }
            // SwiftNIO accepts no target with bytes above 0x7F, which are forwarded as escapes.
            let isASCII = head.bytes[head.target.bytes].allSatisfy { $0 < 0x80 }
            FuzzTarget.require(!isKnown || hasTab || !isASCII, "SwiftNIO refuses it")
            return
        }
        FuzzTarget.require(peer.method.rawValue == head.string(head.method), "another method")
        FuzzTarget.require(peer.uri == head.string(head.target.bytes), "another target")
        FuzzTarget.require(peer.headers.count == head.fields.count, "other fields")
        for (theirs, ours) in zip(peer.headers, head.fields) {
            FuzzTarget.require(theirs.name == head.string(ours.name), "another name")
            FuzzTarget.require(trimmed(theirs.value) == head.string(ours.value), "another value")
        }
    }

    /// Trims tabs around a value, which SwiftNIO leaves.
    private static func trimmed(_ value: String) -> String {
        String(value.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
