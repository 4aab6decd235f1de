import AccessControl
import AuthorizationDoors
import HTTPMessages
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization

/// Question of a proxy at a door.
struct DoorQuestion {
    /// Whether the proxy asks again on the connection. Nil if its message does not say.
    let keepsConnection: Bool?
    /// Its message, as far as it was received. Nil where it asks by the head of its request.
    private(set) var message: CheckMessage?
    /// The client's address that its message states.
    private(set) var statedClient: ClientAddress?

    /// A question that is the head of a request.
    init(asking head: borrowing RequestHead) {
        keepsConnection = head.version == .http11 && head.keepsAlive
    }

    /// A question that is a message.
    init(limits: HeadLimits) {
        keepsConnection = nil
        message = CheckMessage(limits: limits)
    }

    /// Takes more of its message; false if that is too long.
    mutating func append(_ part: BodyPart) -> Bool {
        message?.append((part.content ?? ByteBuffer()).readableBytesView) == true
    }

    /// Puts the request in the place of the call that asks about it.
    mutating func read(into exchange: RequestExchange) throws(Rejection) {
        let question = message.flatMap { CheckQuestion($0) }
        letGo()
        guard let question else { throw Rejection(.door(.requestInvalid)) }
        // Before the request is read: one that is refused is logged with its client too.
        statedClient = IPAddress(question.client).map { ClientAddress(announced: $0) }
        try exchange.loop.read(question, into: &exchange.request.head, exchange.configuration)
    }

    /// Gives the storage of its message back.
    mutating func letGo() { message?.letGo() }
}

/// Requests that a proxy asks about at a door, and forwards itself.
extension RequestExchange {
    /// Puts the request in the place of the question about it; false if that was answered.
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

    /// The message that has the proxy do what an answer says.
    func checkAnswer(_ answer: OwnAnswer) -> CheckAnswer {
        if case .permission(let permission) = answer { return CheckAnswer(permission) }
        let content = answer.write(into: &loop.fieldWriter, answerTerms(.keep))
        return CheckAnswer(loop.fieldWriter, status: answer.status, content)
    }

    /// Tells the proxy to forward the request, if the data path would.
    ///
    /// - Parameter client: the address that the proxy states of its client.
    func permit(_ forwarding: Forwarding, at door: Door, statedOf client: ClientAddress?) {
        guard isForwardable() else { return reject(Rejection(.message(.badRequest))) }
        record.isPermission = true
        let permission = DoorPermission(
            forwarding, of: request.head, configuration.authorizer.edits, at: door.kind,
            isOfTrusted: configuration.trusts(client?.peerAddress))
        answer(.permission(permission), endsConnection: false)
    }

    /// Whether method and target can stand in the head of a request.
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

    /// What the proxy at a door can make the client's answer of: where every 2xx permits the request, no other answer
    /// is one.
    func fitted(_ answer: OwnAnswer, at door: Door) -> OwnAnswer {
        switch answer {
        case .rejection, .permission, .redirect, .check: return answer
        // To whoever calls something else there.
        case .grpcRejection(let rejection): return door.kind.asksByMessage ? answer : .rejection(rejection)
        case .document, .preflight:
            guard !door.kind.relays(success: answer.status) else { return answer }
            record.reason = .door(.cannotAnswer)
            return .rejection(Rejection(.door(.cannotAnswer)))
        }
    }
}

extension DownstreamHop {
    /// The limits of heads that are received.
    func limits(_ configuration: ProxyConfiguration) -> HeadLimits {
        door.map { configuration.limits.head.ofQuestion(at: $0.kind) } ?? configuration.limits.head
    }
}
