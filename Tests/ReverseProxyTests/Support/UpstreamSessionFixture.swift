import HTTP2Sessions
import HTTPMessages
import Logging
import NIOCore
import NIOEmbedded
import ProxySettings
import TestSupport
import Testing
import TokenVerification
import UpstreamFleets

@testable import ReverseProxy

/// A session to an upstream without a socket, whose frames the test reads and writes.
final class UpstreamSessionFixture {
    let eventLoop = EmbeddedEventLoop()
    private(set) var channel: EmbeddedChannel
    let loop: LoopServices
    let upstreams: Upstreams
    let pool: TargetPool
    private(set) var session: UpstreamSession
    private var sent: [UInt8] = []

    private static let target = UpstreamTarget(host: "127.0.0.1", port: 9, protocols: .http2)

    /// State shared by all tests, since its log has a thread.
    static let state = Result {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return GatewayState(
            accessLog: try AccessLog(.none, logger: logger), memory: MemoryWatch(),
            names: NameResolver(logger: logger), logger: logger)
    }
    private static let configuration = Result { try GatewaySettings().configuration(for: [target]) }

    init() throws {
        loop = LoopServices(on: eventLoop, of: try Self.state.get(), try Self.configuration.get())
        upstreams = Upstreams(loop.configuration, loop.gateway.fleets, loop.attempts)
        let next = upstreams.nextTarget(of: 0, in: loop.configuration, avoiding: TargetSet(), at: 0, caller: nil) { _ in
            nil
        } completion: { _ in
            { _ in }
        }
        guard case .lease(let lease) = next else { throw ChannelError.unknownLocalAddress }
        pool = lease.pool
        session = UpstreamSession(to: pool, on: loop)
        channel = EmbeddedChannel(loop: eventLoop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 9)).wait()
        try session.begin(on: channel)
    }

    /// Replaces the session by a new one to the same target. The upstream sends these settings, each in one frame.
    func begin(settings: [[UInt8]]) throws {
        session.end()
        settle()
        session = UpstreamSession(to: pool, on: loop)
        channel = EmbeddedChannel(loop: eventLoop)
        sent = []
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 9)).wait()
        try session.begin(on: channel)
        try agree(settings.first ?? [])
        for settings in settings.dropFirst() { try receive(HTTP2Peer.frame(.settings, stream: 0, settings)) }
        settle()
    }

    /// Begins a request.
    ///
    /// - Parameter fields: fields added to the usual ones.
    @discardableResult
    func request(
        _ lessee: ScriptedLessee, _ method: String = "GET", fields: [(String, String)] = [], content: String? = nil,
        ends: Bool = true,
        trailers: String = "", terms: LeaseTerms = LeaseTerms(keepsTrailers: true)
    ) -> UpstreamStream? {
        guard let stream = pool.openStream(), stream.lease(to: lessee, terms) else { return nil }
        lessee.carrier = stream
        loop.fieldWriter.scheme = .http
        loop.fieldWriter.reset()
        _ = loop.fieldWriter.requestLine(method: method.utf8.span, target: "/a".utf8.span, isNeverIndexed: false)
        _ = loop.fieldWriter.field(.host, "api.example".utf8.span)
        for (name, value) in fields { _ = loop.fieldWriter.field(name.utf8.span, value.utf8.span) }
        loop.fieldWriter.finish()
        stream.send(content.map { ByteBuffer(string: $0) }, framing: .plain, ends: ends, trailers: Array(trailers.utf8))
        return stream
    }

    // MARK: The upstream's side

    /// The frames that the session has written since the last call.
    func frames() throws -> [HTTP2Peer.Frame] {
        eventLoop.run()
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { sent += bytes.readableBytesView }
        if sent.starts(with: HTTP2Peer.preface) { sent.removeFirst(HTTP2Peer.preface.count) }
        var frames: [HTTP2Peer.Frame] = []
        while sent.count >= 9 {
            let length = Int(sent[0]) << 16 | Int(sent[1]) << 8 | Int(sent[2])
            guard sent.count >= 9 + length else { break }
            let stream = sent[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            frames.append(
                HTTP2Peer.Frame(type: sent[3], flags: sent[4], stream: stream, payload: Array(sent[9..<9 + length])))
            sent.removeFirst(9 + length)
        }
        return frames
    }

    func frames(_ type: HTTP2Peer.FrameType) throws -> [HTTP2Peer.Frame] {
        try frames().filter { $0.type == type.rawValue }
    }

    /// Passes frames to the session in one read.
    func receive(_ frames: [UInt8]...) throws {
        guard channel.isActive else { return }
        try channel.writeInbound(ByteBuffer(bytes: frames.flatMap(\.self)))
    }

    func settle() { eventLoop.run() }

    /// Sends the first frames of an upstream.
    func agree(_ settings: [UInt8] = []) throws {
        try receive(HTTP2Peer.frame(.settings, stream: 0, settings), HTTP2Peer.frame(.settings, flags: 1, stream: 0))
    }

    static func head(_ stream: UInt32, ends: Bool = false, _ fields: [(String, String)] = [(":status", "200")])
        -> [UInt8]
    {
        HTTP2Peer.frame(.headers, flags: ends ? 5 : 4, stream: stream, HTTP2Peer.block(fields))
    }

    static func data(_ stream: UInt32, ends: Bool = false, _ content: [UInt8]) -> [UInt8] {
        HTTP2Peer.frame(.data, flags: ends ? 1 : 0, stream: stream, content)
    }

    static func window(_ stream: UInt32, _ count: UInt32) -> [UInt8] {
        HTTP2Peer.frame(
            .windowUpdate, stream: stream, (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) })
    }

    static func reset(_ stream: UInt32, _ code: UInt8) -> [UInt8] {
        HTTP2Peer.frame(.resetStream, stream: stream, [0, 0, 0, code])
    }

    static func goAway(last: UInt8) -> [UInt8] {
        HTTP2Peer.frame(.goAway, stream: 0, [0, 0, 0, last, 0, 0, 0, 0])
    }
}

/// The owner of a request, which records the events of its response.
final class ScriptedLessee: UpstreamLessee {
    var isWritable = true
    var carrier: (any UpstreamCarrier)?
    private(set) var heads: [Int] = []
    private(set) var content: [UInt8] = []
    private(set) var trailers = ""
    private(set) var parts = 0
    private(set) var isComplete = false
    private(set) var failures: [UpstreamFailure] = []
    private(set) var roomReports = 0
    /// Called with each part of a response.
    var whenRelayed: ((ScriptedLessee) -> Void)?

    func upstreamConnected(_ carrier: any UpstreamCarrier, after attempt: any UpstreamCarrier) {}

    func upstreamFailed(_ failure: UpstreamFailure, _ carrier: any UpstreamCarrier) {
        self.carrier = nil
        failures.append(failure)
    }

    func upstreamBecameWritable() { roomReports += 1 }

    func relayInterim(_ head: ResponseHead) { heads.append(head.status) }

    func relayResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8]) {
        parts += 1
        if let head { heads.append(head.status) }
        if let content { self.content += content.readableBytesView }
        self.trailers += String(decoding: trailers, as: UTF8.self)
        if ends {
            isComplete = true
            carrier = nil
        }
        whenRelayed?(self)
    }

    func upgraded(_ head: ResponseHead, _ rest: ByteBuffer) {}
    func relayFromTunnel(_ bytes: ByteBuffer) {}
    func tunnelEnded() {}

    /// Text of a failure, without the rule that a response breaks.
    private static func told(_ failure: UpstreamFailure) -> String {
        if case .invalidResponse = failure { "invalidResponse" } else { "\(failure)" }
    }

    /// The recorded events in one line.
    var summary: String {
        let ends = (isComplete ? ["complete"] : []) + failures.map(Self.told)
        return (heads.map(String.init) + (content.isEmpty ? [] : ["\(content.count)"]) + ends).joined(separator: " ")
    }
}
