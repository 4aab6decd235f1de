import HTTPMessages
import NIOCore
import ProxySettings
import UpstreamFleets

/// One health check of one target: connects as a request would, asks, and reports the result.
///
/// It uses its own connection, so that a check neither takes a request's connection nor leaves it one.
final class HealthProbe: UpstreamLessee {
    /// Check to run. Nil to connect only, without a question.
    private let check: HealthCheck?
    /// Value of the `Host` field.
    private let host: String
    private let pool: TargetPool
    private let loop: LoopServices
    private let completion: (HealthProbe, CheckFault?) -> Void
    private var carrier: (any UpstreamCarrier)?
    private var deadline: Scheduled<Void>?
    private var isOver = false
    /// Bytes of a gRPC response body received so far.
    private var content: [UInt8] = []

    /// Prepares a health check.
    ///
    /// - Parameters:
    ///   - pool: a pool that keeps no connections.
    ///   - completion: called once, with the fault. Nil if the target is healthy.
    init(
        _ check: HealthCheck, host: String, at pool: TargetPool, on loop: LoopServices,
        _ completion: @escaping (CheckFault?) -> Void
    ) {
        self.check = check
        self.host = host
        self.pool = pool
        self.loop = loop
        self.completion = { completion($1) }
    }

    /// Prepares a connection without a question.
    ///
    /// - Parameters:
    ///   - pool: a pool that keeps no connections.
    ///   - completion: called once, with the fault. Nil if the connection was made.
    init(
        connectingTo pool: TargetPool, on loop: LoopServices, _ completion: @escaping (HealthProbe, CheckFault?) -> Void
    ) {
        check = nil
        host = ""
        self.pool = pool
        self.loop = loop
        self.completion = completion
    }

    func begin() {
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        // Connecting has its own time limit.
        deadline = check.map { check in
            loop.eventLoop.scheduleTask(in: TimeAmount(check.timeout)) { bound.value.end(.timeout) }
        }
        carrier = UpstreamConnection.connecting(to: pool, on: loop, for: self, terms, loop.configuration)
    }

    /// Cancels the check, whose result is not needed any more.
    func cancel() {
        isOver = true
        deadline?.cancel()
        carrier?.abandon()
        carrier = nil
    }

    private func end(_ fault: CheckFault?) {
        guard !isOver else { return }
        cancel()
        completion(self, fault)
    }

    private var terms: LeaseTerms { LeaseTerms(keepsTrailers: true) }

    // MARK: The request

    func upstreamConnected(_ carrier: any UpstreamCarrier, after attempt: any UpstreamCarrier) {
        guard !isOver, attempt === self.carrier else { return carrier.abandon() }
        self.carrier = carrier
        guard let check else { return end(nil) }
        guard carrier.lease(to: self, terms) else { return end(.reset) }
        let wroteHead =
            switch carrier.headForm {
            case .text: writeHead(asking: check.question, into: &loop.headWriter)
            case .fields(let scheme): writeFields(scheme, asking: check.question)
            }
        guard wroteHead else { return end(.reset) }
        if carrier.headForm == .text { loop.outgoing.begin(with: &loop.headWriter) }
        carrier.send(body(asking: check.question), framing: .plain, ends: true, trailers: [])
    }

    private func writeFields(_ scheme: FieldWriter.Scheme, asking question: HealthCheck.Question) -> Bool {
        loop.fieldWriter.scheme = scheme
        return writeHead(asking: question, into: &loop.fieldWriter)
    }

    private func writeHead(asking question: HealthCheck.Question, into head: inout some HeadOutput) -> Bool {
        head.reset()
        switch question {
        case .http(let path, _):
            guard head.requestLine(method: "GET".utf8.span, target: path.utf8.span, isNeverIndexed: false),
                head.field(.host, host.utf8.span)
            else { return false }
        case .grpc:
            guard
                head.requestLine(
                    method: "POST".utf8.span, target: "/grpc.health.v1.Health/Check".utf8.span, isNeverIndexed: false),
                head.field(.host, host.utf8.span)
            else { return false }
            head.field(.contentType, "application/grpc")
        }
        head.field("user-agent", "bearward-health")
        head.field(.connection, "close")
        head.finish()
        return true
    }

    private func body(asking question: HealthCheck.Question) -> ByteBuffer? {
        guard case .grpc(let service) = question else { return nil }
        return ByteBuffer(bytes: GRPCHealth.request(for: service))
    }

    // MARK: The response

    var isWritable: Bool { true }

    func relayResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8]) {
        if ends { carrier = nil }
        guard let check else { return }
        switch check.question {
        case .http(_, let expected):
            if let head { end(expected.contains(head.status) ? nil : .status(head.status)) }
        case .grpc:
            if let head, head.status != 200 { return end(.status(head.status)) }
            // A response without content may have the gRPC status in its head.
            if let head, let status = Self.grpcStatus(head), status != 0 { return end(.grpc(status)) }
            if let content { self.content.append(contentsOf: content.readableBytesView) }
            guard self.content.count <= GRPCHealth.longestResponse else { return end(.grpc(nil)) }
            if ends { end(GRPCHealth.fault(in: self.content, status: Self.grpcStatus(trailers))) }
        }
    }

    private static func grpcStatus(_ head: ResponseHead) -> Int? {
        head.fields.first { isGRPCStatus(head.name(of: $0)) }.flatMap { Int(head.string($0.value)) }
    }

    private static func grpcStatus(_ trailers: [UInt8]) -> Int? {
        TrailerFields(trailers).first { isGRPCStatus($0.name) }.flatMap {
            Int(String(decoding: $0.value, as: UTF8.self))
        }
    }

    private static func isGRPCStatus(_ name: ArraySlice<UInt8>) -> Bool {
        String(decoding: name, as: UTF8.self).lowercased() == "grpc-status"
    }

    func upstreamFailed(_ failure: UpstreamFailure, _ carrier: any UpstreamCarrier) {
        guard carrier === self.carrier else { return }
        self.carrier = nil
        switch failure {
        case .unreachable: end(.connect)
        case .connectTimeout, .handshakeTimeout: end(.timeout)
        case .closed, .notProcessed, .takesNoRequests, .invalidResponse, .truncated: end(.reset)
        }
    }

    func upstreamBecameWritable() {}

    func relayInterim(_ head: ResponseHead) {}

    // A health check never asks for another protocol.

    func upgraded(_ head: ResponseHead, _ rest: ByteBuffer) { end(.status(head.status)) }

    func relayFromTunnel(_ bytes: ByteBuffer) {}

    func tunnelEnded() {}
}

@available(*, unavailable)
extension HealthProbe: Sendable {}
