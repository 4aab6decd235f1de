import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization
import TestSupport
import Testing

/// TLS settings of a test's client.
struct ClientTLS: Sendable {
    var configuration = TLSConfiguration.makeClientConfiguration()
    var serverName: String?

    /// Settings that trust the test authority and send the server name.
    init(serverName: String? = "localhost", _ change: (inout TLSConfiguration) -> Void = { _ in }) throws {
        configuration.trustRoots = .certificates(
            try NIOSSLCertificate.fromPEMBytes(Array(SampleCertificates.trustAnchor.utf8)))
        configuration.certificateVerification = .noHostnameVerification
        self.serverName = serverName
        change(&configuration)
    }

    func handler() throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: NIOSSLContext(configuration: configuration), serverHostname: serverName)
    }
}

/// The outcome of a TLS handshake, as the client sees it.
struct Handshake: Sendable, Hashable {
    let negotiated: String?
    /// DNS names in the server's certificate.
    let names: [String]?
}

/// The test's end of a connection. It sends scripted bytes and keeps the bytes it receives.
final class RawPeer: Sendable {
    private let channel: any Channel
    private let received: Received

    final class Received: Sendable {
        struct Contents {
            var bytes: [UInt8] = []
            var count = 0
            var hasEnded = false
            var wasReset = false
            var wasTruncated = false
            var handshake: Handshake?
        }

        let contents = Mutex(Contents())
    }

    private init(_ channel: any Channel, _ received: Received) {
        self.channel = channel
        self.received = received
    }

    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    static func connect(to address: String, _ tls: ClientTLS? = nil, preamble: [UInt8] = []) async throws -> RawPeer {
        let parts = address.split(separator: ":")
        let host = String(try #require(parts.first))
        let port = try #require(Int(parts.last ?? ""))
        let received = Received()
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if !preamble.isEmpty { try channel.pipeline.syncOperations.addHandler(Preamble(preamble)) }
                    if let tls { try channel.pipeline.syncOperations.addHandler(tls.handler()) }
                    try channel.pipeline.syncOperations.addHandler(Collector(received))
                }
            }
            .connect(host: host, port: port).get()
        return RawPeer(channel, received)
    }

    /// Wraps an accepted channel; called on its event loop.
    static func adopt(_ channel: any Channel) throws -> RawPeer {
        let received = Received()
        try channel.pipeline.syncOperations.addHandler(Collector(received))
        return RawPeer(channel, received)
    }

    // MARK: Sending

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    /// Sends bytes and waits until the system has accepted them.
    func sendAll(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    func halfClose() { channel.close(mode: .output, promise: nil) }

    func close() { channel.close(promise: nil) }

    /// Closes a TLS connection without close_notify, as a crashed peer or an attacker on the path does.
    func cut() async throws {
        try await channel.eventLoop.submit { [channel] in
            try channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self).close(promise: nil)
        }.get()
    }

    /// Resets the connection.
    func reset() async throws {
        let options = try #require(channel as? any SocketOptionProvider)
        try await options.unsafeSetSocketOption(level: .socket, name: .so_linger, value: Linger(isOn: 1, seconds: 0))
            .get()
        channel.close(promise: nil)
    }

    /// Pauses or resumes receiving.
    func setReading(_ isReading: Bool) async throws {
        try await channel.setOption(.autoRead, value: isReading).get()
        if isReading { channel.read() }
    }

    // MARK: Receiving

    /// Text of the bytes received and not taken so far.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    var bytes: [UInt8] { received.contents.withLock { $0.bytes } }

    /// Total number of bytes received.
    var count: Int { received.contents.withLock { $0.count } }

    var hasEnded: Bool { received.contents.withLock { $0.hasEnded } }

    /// True if neither side has closed the connection, according to the kernel; called on its event loop.
    var isEstablished: Bool {
        var isEstablished = false
        let info = (channel as? any SocketOptionProvider)?.getTCPInfo()
        info?.assumeIsolated().whenSuccess { isEstablished = $0.tcpi_state == 1 }
        return isEstablished
    }

    /// True if the connection ended with a reset.
    var wasReset: Bool { received.contents.withLock { $0.wasReset } }

    /// True if the TLS connection ended without close_notify.
    var wasTruncated: Bool { received.contents.withLock { $0.wasTruncated } }

    /// The outcome of the handshake, once it is over.
    func handshake() async throws -> Handshake {
        _ = try await holds { self.received.contents.withLock { $0.handshake != nil } }
        return try #require(received.contents.withLock { $0.handshake })
    }

    /// Takes all bytes up to and including the text. Fails the test if the text does not come in time.
    func receive(through end: String, within limit: Duration = .seconds(10)) async throws -> String {
        let end = Array(end.utf8)
        var taken: [UInt8]?
        _ = try await holds(within: limit) {
            taken = self.take { bytes in bytes.firstRange(of: end)?.upperBound }
            return taken != nil
        }
        return String(decoding: try #require(taken, "received only: \(text)"), as: UTF8.self)
    }

    /// Takes this number of bytes.
    func receive(count: Int, within limit: Duration = .seconds(20)) async throws -> [UInt8] {
        var taken: [UInt8]?
        _ = try await holds(within: limit) {
            taken = self.take { bytes in bytes.count >= count ? count : nil }
            return taken != nil
        }
        return try #require(taken, "received only \(bytes.count) bytes")
    }

    /// Takes everything up to the end of the connection.
    func receiveToEnd(within limit: Duration = .seconds(10)) async throws -> String {
        let hasEnded = try await holds(within: limit) { self.hasEnded }
        #expect(hasEnded, "the connection did not end; received: \(text)")
        return String(decoding: take { $0.count } ?? [], as: UTF8.self)
    }

    func ends(within limit: Duration = .seconds(10)) async throws -> Bool {
        try await holds(within: limit) { self.hasEnded }
    }

    /// Takes all bytes up to and including the text. Nil if the text was not received yet.
    func takeThrough(_ end: String) -> String? {
        let end = Array(end.utf8)
        return take { $0.firstRange(of: end)?.upperBound }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func take(_ end: ([UInt8]) -> Int?) -> [UInt8]? {
        received.contents.withLock { contents in
            guard let end = end(contents.bytes) else { return nil }
            defer { contents.bytes.removeFirst(end) }
            return Array(contents.bytes[..<end])
        }
    }

    /// Writes bytes before the first outbound bytes.
    private final class Preamble: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private var bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard !bytes.isEmpty else { return context.write(data, promise: promise) }
            var joined = ByteBuffer(bytes: bytes)
            bytes = []
            joined.writeImmutableBuffer(unwrapOutboundIn(data))
            context.write(wrapOutboundOut(joined), promise: promise)
        }
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        let received: Received

        init(_ received: Received) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            received.contents.withLock { contents in
                contents.bytes.append(contentsOf: buffer.readableBytesView)
                contents.count += buffer.readableBytes
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case TLSUserEvent.handshakeCompleted(let negotiated) = event {
                let certificate = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
                    .peerCertificate
                received.contents.withLock { contents in
                    contents.handshake = Handshake(
                        negotiated: negotiated,
                        names: certificate?._subjectAlternativeNames().map {
                            String(decoding: $0.contents, as: UTF8.self)
                        })
                }
            }
            if case ChannelEvent.inputClosed = event { received.contents.withLock { $0.hasEnded = true } }
        }

        func channelInactive(context: ChannelHandlerContext) {
            received.contents.withLock { $0.hasEnded = true }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            received.contents.withLock { contents in
                contents.wasReset = true
                contents.wasTruncated = contents.wasTruncated || error as? NIOSSLError == .uncleanShutdown
            }
            context.close(promise: nil)
        }
    }
}

/// The system's `struct linger`, in its layout.
private struct Linger {
    let isOn: CInt
    let seconds: CInt
}
