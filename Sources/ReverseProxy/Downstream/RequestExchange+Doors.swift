import AccessControl
import AuthorizationDoors
import HTTPMessages
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
            reject(error)
            return false
        }
        request.isAtDoor = true
        if !request.head.contains(.xForwardedFor) { noteMissingAddress() }
        return true
    }

    /// The proxy at a door states no client address, or nothing that is one (`unix:`): a limit by address cannot be applied.
    func noteMissingAddress() {
        guard let door = hop.door else { return }
        loop.gateway.noteMissingAddress(at: door, generation: configuration.generation)
    }

    /// Whether the client of the connection may send another request on it, as far as its head says.
    var keepsConnection: Bool {
        relay.keepsConnection ?? (request.head.version == .http11 && request.head.keepsAlive)
    }

    /// Takes what the client showed in the TLS handshake. At a door that is the proxy's, and says nothing of who the client is.
    func takeCertificate() {
        record.asksForCertificate = hop.asksForCertificate && hop.door == nil
        request.clientCertificate = hop.door == nil ? hop.clientCertificate : nil
    }

    /// Tells the proxy to forward the request, if the data path would.
    func permit(_ forwarding: Forwarding, at door: Door) {
        guard isForwardable() else { return reject(Rejection(.message(.badRequest))) }
        record.isPermission = true
        let permission = DoorPermission(forwarding, of: request.head, configuration.authorizer.edits, at: door.kind)
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

    /// What the proxy at a door can make the client's answer of: where every 2xx permits the request, no other answer is one.
    func fitted(_ answer: OwnAnswer) -> OwnAnswer {
        guard let door = hop.door else { return answer }
        switch answer {
        case .rejection, .permission, .redirect: return answer
        case .grpcRejection(let rejection): return .rejection(rejection)
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
        door == nil ? configuration.limits.head : configuration.limits.head.ofQuestion
    }
}
