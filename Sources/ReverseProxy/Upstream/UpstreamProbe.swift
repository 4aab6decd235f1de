import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ProxySettings
import TokenVerification
import TransportSecurity

/// Tests whether targets can be reached, in the same way as for a request, but sends none.
public struct UpstreamProbe: Sendable {
    public enum Outcome: Sendable, Hashable {
        /// Connected, with the agreed TLS version and HTTP version. Nil for a target without TLS.
        case connected(String?)
        /// Not connected, with the text that the access log has in `upstream_error`.
        case failed(String)
    }

    /// Time for the upstream to reject our certificate after the handshake. Most upstreams close at once.
    private static let farewell = TimeAmount.seconds(1)

    private let names: NameResolver
    private let limit: TimeAmount

    /// - Parameter connect: time limit of a connection attempt, and again of a TLS handshake.
    public init(connect: Duration) {
        limit = TimeAmount(connect)
        names = NameResolver(logger: Logger(label: "probe", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    /// Connects, completes the TLS handshake, and closes.
    ///
    /// - Parameter tls: TLS settings, for a target that uses TLS.
    public func attempt(_ target: UpstreamTarget, _ tls: UpstreamTLS?) async -> Outcome {
        let approach = UpstreamApproach(target: target, address: target.address, limit: limit)
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let outcome = approach.connect(names, on: loop).flatMap { channel in
            target.security == nil ? Self.leave(channel) : Self.greet(channel, approach, tls)
        }.flatMapErrorThrowing { .failed(approach.failure(connecting: $0).text) }
        return (try? await outcome.get()) ?? .failed(UpstreamFailure.unreachable(.ended).text)
    }

    private static func leave(_ channel: any Channel) -> EventLoopFuture<Outcome> {
        channel.close(promise: nil)
        return channel.eventLoop.makeSucceededFuture(.connected(nil))
    }

    private static func greet(_ channel: any Channel, _ approach: UpstreamApproach, _ tls: UpstreamTLS?)
        -> EventLoopFuture<Outcome>
    {
        let (_, handshake) = approach.secure(channel, by: tls, http1Only: false)
        let end = channel.eventLoop.makePromise(of: Outcome.self)
        handshake.whenComplete { result in
            switch result {
            case .success(let spoken): part(from: channel, .connected(agreed(spoken, channel)), end)
            case .failure(let error):
                let now = NumericDate(clock: Date().timeIntervalSince1970)
                end.succeed(.failed(approach.failure(securing: channel, error, at: now).text))
                channel.closeAtOnce()
            }
        }
        return end.futureResult
    }

    /// Closes our side of the connection without a TLS message, and waits for an alert of the upstream.
    ///
    /// A server that closes with unread bytes resets the connection, and its alert would be lost.
    private static func part(from channel: any Channel, _ outcome: Outcome, _ end: EventLoopPromise<Outcome>) {
        let objection = channel.eventLoop.makePromise(of: UnreachableCause?.self)
        let timer = channel.eventLoop.scheduleTask(in: farewell) { objection.succeed(nil) }
        objection.futureResult.whenSuccess { objection in
            timer.cancel()
            end.succeed(objection.map { .failed($0.text) } ?? outcome)
            channel.closeAtOnce()
        }
        do {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(UpstreamFarewell(objection))
            try pipeline.context(handlerType: NIOSSLClientHandler.self).close(mode: .output, promise: nil)
        } catch {
            objection.succeed(nil)
        }
    }

    private static func agreed(_ spoken: UpstreamApproach.Outcome, _ channel: any Channel) -> String {
        let version = try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self).tlsVersion
        let protocolName =
            switch spoken {
            case .http1: "HTTP/1.1"
            case .http2: "HTTP/2"
            }
        return switch version ?? nil {
        case .tlsv13: "TLS 1.3, \(protocolName)"
        case .tlsv12: "TLS 1.2, \(protocolName)"
        default: "TLS, \(protocolName)"
        }
    }
}

/// Waits for an alert of the upstream, or for the end of the connection.
private final class UpstreamFarewell: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let objection: EventLoopPromise<UnreachableCause?>

    init(_ objection: EventLoopPromise<UnreachableCause?>) {
        self.objection = objection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        objection.succeed(UnreachableCause(alert: error))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { objection.succeed(nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        objection.succeed(nil)
    }
}

@available(*, unavailable)
extension UpstreamFarewell: Sendable {}
