import AccessControl
import AuthorizationDoors
import HTTPMessages
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization

/// Requests that a proxy asks about at a door, and forwards itself.
extension RequestExchange {
    /// Puts the request in the place of the question about it; false if that was answered.
    func read(at door: Door) -> Bool {
        let question = request.head
        relay.keepsConnection = question.version == .http11 && question.keepsAlive
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

    /// The proxy at a door states no client address, or nothing that is one (`unix:`): a limit by address cannot be
    /// applied.
    func noteMissingAddress() {
        guard let door = hop.door else { return }
        loop.gateway.noteMissingAddress(at: door, generation: configuration.generation)
    }

    // MARK: Questions that are messages

    /// A proxy's call is here, and its content is the question.
    func awaitQuestion(at door: Door) {
        guard door.admits(hop.address.peerAddress) else {
            return reject(Rejection(.door(.untrusted)), endsConnection: true)
        }
        guard request.head.isCheckCall else { return reject(Rejection(.door(.requestInvalid))) }
        // The call is the proxy's, and has no part in how the request is answered.
        relay.streaming = nil
        relay.message = CheckMessage(limits: configuration.limits.head)
        state.questionBegan()
        arm(configuration.deadlines.head)
        carrier?.process()
    }

    /// Takes what is here of a question, and judges the request once it is whole.
    func receiveQuestion() {
        guard let part = try? carrier?.takeBody() else { return }
        guard relay.message?.append((part.content ?? ByteBuffer()).readableBytesView) == true else {
            return reject(Rejection(.message(.headTooLarge)))
        }
        guard part.isLast else { return }
        deadline = .max
        let action = state.questionEnded()
        do throws(Rejection) {
            try readQuestion()
        } catch {
            if case .message = error.reason { record.headFault = loop.statedFault }
            return reject(error)
        }
        request.isAtDoor = true
        if client.address == nil { noteMissingAddress() }
        perform(action)
    }

    /// Puts the request in the place of the call that asks about it.
    private func readQuestion() throws(Rejection) {
        let question = relay.message.flatMap { CheckQuestion($0) }
        relay.message?.letGo()
        guard let question else { throw Rejection(.door(.requestInvalid)) }
        // Before the request is read: one that is refused is logged with its client too.
        relay.statedClient = IPAddress(question.client).map { ClientAddress(announced: $0) }
        try loop.read(question, into: &request.head, configuration)
    }

    /// The message that has the proxy do what an answer says.
    func checkAnswer(_ answer: OwnAnswer) -> CheckAnswer {
        if case .permission(let permission) = answer { return CheckAnswer(permission) }
        let content = answer.write(into: &loop.fieldWriter, answerTerms(.keep))
        return CheckAnswer(loop.fieldWriter, status: answer.status, content)
    }

    // MARK: Answers

    /// Whether the client of the connection may send another request on it, as far as its head says.
    var keepsConnection: Bool {
        relay.keepsConnection ?? (request.head.version == .http11 && request.head.keepsAlive)
    }

    /// Takes what the client showed in the TLS handshake. At a door that is the proxy's, and says nothing of who the
    /// client is.
    func takeCertificate() {
        record.asksForCertificate = hop.asksForCertificate && hop.door == nil
        request.clientCertificate = hop.door == nil ? hop.clientCertificate : nil
    }

    /// Tells the proxy to forward the request, if the data path would.
    func permit(_ forwarding: Forwarding, at door: Door) {
        guard isForwardable() else { return reject(Rejection(.message(.badRequest))) }
        record.isPermission = true
        let permission = DoorPermission(
            forwarding, of: request.head, configuration.authorizer.edits, at: door.kind,
            isOfTrusted: configuration.trusts(relay.statedClient?.peerAddress))
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
    func fitted(_ answer: OwnAnswer) -> OwnAnswer {
        guard let door = hop.door else { return answer }
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
