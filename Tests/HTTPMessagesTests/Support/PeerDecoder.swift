import HTTPMessages
import NIOCore
import NIOEmbedded
import NIOHTTP1

/// SwiftNIO's request decoder as independent peer: its result for the same bytes.
struct PeerDecoder {
    private(set) var heads: [HTTPRequestHead] = []
    private(set) var bodies: [[UInt8]] = []
    private(set) var ended = 0
    private(set) var error: String?

    /// Decodes bytes and then, if there are any, further bytes.
    init(_ bytes: [UInt8], then rest: [UInt8] = []) throws {
        let channel = EmbeddedChannel()
        let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes))
        try channel.pipeline.syncOperations.addHandler(decoder)
        read(bytes, channel)
        if error == nil, !rest.isEmpty { read(rest, channel) }
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    private mutating func read(_ bytes: [UInt8], _ channel: EmbeddedChannel) {
        do {
            try channel.writeInbound(ByteBuffer(bytes: bytes))
        } catch {
            self.error = "\(error)"
        }
        while let part = try? channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head):
                heads.append(head)
                bodies.append([])
            case .body(let buffer): bodies[bodies.count - 1] += Array(buffer.readableBytesView)
            case .end: ended += 1
            }
        }
    }
}
