import ByteWords
import HTTPMessages

/// Content of a gRPC call while it is received: one message after its prefix, a flag and a length (gRPC over HTTP/2,
/// "Requests").
public struct CheckMessage: Sendable {
    private var bytes: [UInt8] = []
    private let limit: Int

    private static let prefixLength = 5

    /// - Parameter limits: head limits of the request that the proxy asks about.
    public init(limits: HeadLimits) {
        limit = limits.ofMessage
    }

    /// Appends a part of the content. False if the content is longer than a check request may be.
    public mutating func append(_ part: some Collection<UInt8>) -> Bool {
        guard part.count <= limit &- bytes.count else { return false }
        bytes.append(contentsOf: part)
        return true
    }

    /// Frees the storage after the message was decoded.
    public mutating func letGo() { bytes = [] }

    /// The message without its prefix. Nil if the content is not exactly one uncompressed message.
    var content: [UInt8]? {
        guard bytes.count >= Self.prefixLength, bytes.first == 0 else { return nil }
        let length = bytes[1..<Self.prefixLength].reduce(0) { $0 << 8 | Int($1) }
        return length == bytes.count &- Self.prefixLength ? Array(bytes.dropFirst(Self.prefixLength)) : nil
    }

    /// Puts the gRPC prefix before a message.
    static func prefixed(_ message: [UInt8]) -> [UInt8] {
        let length = UInt32(truncatingIfNeeded: message.count)
        var bytes: [UInt8] = [0]
        for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
        bytes.append(contentsOf: message)
        return bytes
    }
}

extension RequestHead {
    /// True if the request is a call of `envoy.service.auth.v3.Authorization/Check`.
    public var isCheckCall: Bool {
        isGRPC && bytes.span.extracting(method).equals("POST".utf8.span)
            && bytes.span.extracting(target.bytes).equals("/envoy.service.auth.v3.Authorization/Check".utf8.span)
    }
}
