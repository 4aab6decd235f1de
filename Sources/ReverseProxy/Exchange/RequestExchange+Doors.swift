import AccessControl
import AuthorizationDoors
import HTTPMessages
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization

/// A forward auth question: a proxy asks at a door whether it may forward a request.
struct DoorQuestion {
    /// True if the proxy reuses the connection. Nil if it asks by a message, which does not say.
    let keepsConnection: Bool?
    /// The proxy's message, as far as received. Nil if it asks by the head of its request.
    private(set) var message: CheckMessage?
    /// Client address stated in the proxy's message. Nil if the message is not read yet or states no valid address, and
    /// if there is no message.
    private(set) var statedClient: ClientAddress?

    /// Makes a question asked by the head of an HTTP request.
    init(asking head: borrowing RequestHead) {
        keepsConnection = head.version == .http11 && head.keepsAlive
    }

    /// Makes a question asked by a gRPC message, which is received later.
    init(limits: HeadLimits) {
        keepsConnection = nil
        message = CheckMessage(limits: limits)
    }

    /// Appends a part of its message. False if the message is too long.
    mutating func append(_ part: BodyPart) -> Bool {
        message?.append((part.content ?? ByteBuffer()).readableBytesView) == true
    }

    /// Replaces the exchange's request, which is the proxy's call, by the request in its message.
    mutating func read(into exchange: RequestExchange) throws(Rejection) {
        let question = message.flatMap { CheckQuestion($0) }
        letGo()
        guard let question else { throw Rejection(.door(.requestInvalid)) }
        // Set before the request is read, so that one that is refused is logged with its client too.
        statedClient = IPAddress(question.client).map { ClientAddress(announced: $0) }
        try exchange.loop.read(question, into: &exchange.request.head, exchange.configuration)
    }

    /// Frees the storage of its message.
    mutating func letGo() { message?.letGo() }
}

/// Judging for forward auth (doors): requests that a proxy asks about, and forwards itself.
extension RequestExchange {
    /// Replaces the proxy's request by the request that it asks about. False if it was answered with a rejection.
    func read(at door: Door) -> Bool {
        guard door.admits(hop.address.peerAddress) else {
            reject(Rejection(.door(.untrusted)), endsConnection: true)
            return false
        }
        do throws(Rejection) {
            try loop.read(&request.head, at: door.kind, configuration)
        } catch {
            if case .message = error.reason { record.headFault = loop.statedFault }
            reject(error)
            return false
        }
        request.isAtDoor = true
        if !request.head.contains(.xForwardedFor) { noteMissingAddress() }
        return true
    }

    /// The gRPC message that tells the proxy to send an answer.
    func checkAnswer(_ answer: OwnAnswer) -> CheckAnswer {
        if case .permission(let permission) = answer { return CheckAnswer(permission) }
        let content = answer.write(into: &loop.fieldWriter, answerTerms(.keep))
        return CheckAnswer(loop.fieldWriter, status: answer.status, content)
    }

    /// Permits the proxy to forward the request, if the gateway itself could forward it.
    ///
    /// - Parameter client: Client address that the proxy states.
    func permit(_ forwarding: Forwarding, at door: Door, statedOf client: ClientAddress?) {
        guard isForwardable() else { return reject(Rejection(.message(.badRequest))) }
        record.isPermission = true
        let permission = DoorPermission(
            forwarding, of: request.head, configuration.authorizer.edits, at: door.kind,
            isOfTrusted: configuration.trusts(client?.peerAddress))
        answer(.permission(permission), endsConnection: false)
    }

    /// True if method and target are valid in a request head.
    private func isForwardable() -> Bool {
        let (head, path) = (request.head, request.path.canonical)
        let (bytes, method) = (head.bytes, head.method)
        loop.headWriter.reset()
        guard let query = head.target.query else {
            return loop.headWriter.requestLine(method: bytes.span.extracting(method), target: path.span)
        }
        return loop.headWriter.requestLine(
            method: bytes.span.extracting(method), path: path.span, query: bytes.span.extracting(query))
    }

    /// Converts an answer for the proxy at a door. If the proxy takes every 2xx as permission, an answer with 2xx that
    /// is none becomes a rejection.
    func fitted(_ answer: OwnAnswer, at door: Door) -> OwnAnswer {
        switch answer {
        case .rejection, .permission, .redirect, .check: return answer
        // The caller sent another gRPC call to a door that does not use gRPC.
        case .grpcRejection(let rejection): return door.kind.asksByMessage ? answer : .rejection(rejection)
        case .document, .preflight:
            guard !door.kind.relays(success: answer.status) else { return answer }
            record.reason = .door(.cannotAnswer)
            return .rejection(Rejection(.door(.cannotAnswer)))
        }
    }
}

extension DownstreamHop {
    /// Limits on heads that are received.
    func limits(_ configuration: ProxyConfiguration) -> HeadLimits {
        door.map { configuration.limits.head.ofQuestion(at: $0.kind) } ?? configuration.limits.head
    }
}
