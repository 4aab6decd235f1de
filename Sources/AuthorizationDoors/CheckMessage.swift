import HTTPMessages

/// The content of a call of gRPC, as it is received: one message behind its prefix of a flag and a length (gRPC over
/// HTTP/2, "Requests").
public struct CheckMessage: Sendable {
    private var bytes: [UInt8] = []
    private let limit: Int

    private static let prefixLength = 5

    /// - Parameter limits: of the head of the request that is asked about.
    public init(limits: HeadLimits) {
        limit = limits.ofMessage
    }

    /// Takes more of the content; false if there is more of it than a question can have.
    public mutating func append(_ part: some Collection<UInt8>) -> Bool {
        guard part.count <= limit &- bytes.count else { return false }
        bytes.append(contentsOf: part)
        return true
    }

    /// Gives the storage back once the message is decoded.
    public mutating func letGo() { bytes = [] }

    /// The message; nil if the content is not exactly one that is not compressed.
    var content: [UInt8]? {
        guard bytes.count >= Self.prefixLength, bytes.first == 0 else { return nil }
        let length = bytes[1..<Self.prefixLength].reduce(0) { $0 << 8 | Int($1) }
        return length == bytes.count &- Self.prefixLength ? Array(bytes.dropFirst(Self.prefixLength)) : nil
    }

    /// A message behind its prefix.
    static func prefixed(_ message: [UInt8]) -> [UInt8] {
        let length = UInt32(truncatingIfNeeded: message.count)
        var bytes: [UInt8] = [0]
        for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
        bytes.append(contentsOf: message)
        return bytes
    }
}

extension RequestHead {
    /// Whether the request is a call of `envoy.service.auth.v3.Authorization/Check`.
    public var isCheckCall: Bool {
        isGRPC && bytes.span.extracting(method).equals("POST".utf8.span)
            && bytes.span.extracting(target.bytes).equals("/envoy.service.auth.v3.Authorization/Check".utf8.span)
    }
}
