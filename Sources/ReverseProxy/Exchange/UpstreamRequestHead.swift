import AccessControl
import HTTPMessages
import ProxySettings
import RequestAuthorization

/// The head that goes upstream: the judged path, the client's fields without those that end here, and ours.
struct UpstreamRequestHead: ~Copyable {
    let forwarding: Forwarding
    let group: UpstreamGroup
    /// The target's host and port.
    let authority: [UInt8]
    let edits: HeaderEdits
    let hop: DownstreamHop
    /// Whether the peer's own forwarding fields are believed.
    let peerIsTrusted: Bool
    let requestID: RequestID
    /// Whether the body was asked for by the gateway, so that nobody has to ask for it.
    var bodyIsHere = false
    /// Whether and how the upstream is asked for the WebSocket protocol.
    var webSocket: WebSocketRequest?

    /// Writes the whole head. False, and the output is useless, only for what the parser and router let pass but no
    /// head may hold.
    ///
    /// - Parameter path: the request's path in its one form.
    func write(_ head: RequestHead, path: [UInt8], into writer: inout some HeadOutput) -> Bool {
        writer.reset()
        guard writeRequestLine(path, head, into: &writer), writeHost(head, into: &writer) else { return false }
        copyFields(of: head, into: &writer)
        guard writeOffer(of: head, into: &writer), writeForwardingFields(head, into: &writer) else { return false }
        switch head.framing {
        case .none: break
        case .length(let length): writer.field(.contentLength, length)
        case .chunked: writer.field(.transferEncoding, "chunked")
        }
        if webSocket != nil {
            writer.field(.connection, "Upgrade")
            writer.field(.upgrade, "websocket")
        }
        // Complete lines, already encoded; of a token, as the client wrote it.
        if !forwarding.identityFields.isEmpty { writer.identityLines(forwarding.identityFields.span) }
        if let line = forwarding.tokenField { writer.identityLines(line.span) }
        writer.finish()
        return true
    }

    private func writeRequestLine(_ canonical: [UInt8], _ head: RequestHead, into writer: inout some HeadOutput) -> Bool
    {
        guard forwarding.pathStart >= 0, forwarding.pathStart <= canonical.count else { return false }
        let method = head.bytes.span.extracting(head.method)
        if group.basePath.isEmpty, forwarding.pathStart < canonical.count {
            return writeLine(
                method, canonical.span.extracting(forwarding.pathStart..<canonical.count), head, into: &writer)
        }
        var path = group.basePath
        path.append(contentsOf: canonical[forwarding.pathStart...])
        if path.isEmpty { path.append(UInt8(ascii: "/")) }
        return writeLine(method, path.span, head, into: &writer)
    }

    private func writeLine(
        _ method: Span<UInt8>, _ path: Span<UInt8>, _ head: RequestHead, into writer: inout some HeadOutput
    ) -> Bool {
        let isNeverIndexed = head.target.isNeverIndexed
        guard let query = head.target.query else {
            return writer.requestLine(method: method, target: path, isNeverIndexed: isNeverIndexed)
        }
        return writer.requestLine(
            method: method, path: path, query: head.bytes.span.extracting(query), isNeverIndexed: isNeverIndexed)
    }

    private func writeHost(_ head: RequestHead, into writer: inout some HeadOutput) -> Bool {
        if let override = group.hostOverride { return writer.field(.host, override.utf8.span) }
        guard let authority = head.authority else { return writer.field(.host, authority.span) }
        return writer.field(.host, head.bytes.span.extracting(authority.bytes))
    }

    // MARK: The client's fields

    private func copyFields(of head: RequestHead, into writer: inout some HeadOutput) {
        let section = head.section
        let mayBeNominated = head.contains(.connection)
        let passesTrace = head.contains(.traceparent) && TraceContext.isWellFormed(in: head)
        writer.copy(section) { field in
            passes(field, of: head, passesTrace: passesTrace) && !edits.removes(field, of: head)
                && !(mayBeNominated && section.isNominated(field))
                && (field.known != .expect || head.expectsContinue && !bodyIsHere)
        }
    }

    /// Whether the name of a field allows it to be forwarded.
    private func passes(_ field: HeaderField, of head: RequestHead, passesTrace: Bool) -> Bool {
        guard let known = field.known else {
            if let lookAlike = field.lookAlike { return lookAlikePasses(lookAlike) }
            return proxyFieldPasses(head.proxyField(field))
        }
        switch known {
        case .host, .contentLength, .xForwardedFor, .xRequestID: return false
        case .authorization: return forwarding.keepsAuthorization
        case .via: return peerIsTrusted
        case .xForwardedPrefix: return peerIsTrusted && forwarding.strippedPrefix == nil
        case .traceparent, .tracestate: return passesTrace
        default: return !known.isHopByHop && !known.isNeverForwarded && (peerIsTrusted || !known.isForwarding)
        }
    }

    /// A reader that makes variables of field names would take `X_Forwarded_For` or `X.Forwarded.For` for ours, so it
    /// is removed whoever sent it.
    private func lookAlikePasses(_ known: KnownField) -> Bool {
        !known.isForwarding && !known.overridesRequestLine && known != .authorization && known != .xRequestID
    }

    /// What another proxy states about a request is for trusted peers to state, and in the spelling that they know to
    /// remove.
    private func proxyFieldPasses(_ spelling: ProxyField?) -> Bool {
        switch spelling {
        case nil: true
        case .name: peerIsTrusted
        case .lookAlike: false
        }
    }

    /// Writes the subprotocols that are offered, without a token among them, if the field was not copied as it is.
    private func writeOffer(of head: RequestHead, into writer: inout some HeadOutput) -> Bool {
        guard head.contains(.secWebSocketProtocol) else { return true }
        let offer = if let webSocket { webSocket.offer } else { edits.protocolOffer(of: head) }
        guard let offer, !offer.kept.isEmpty else { return true }
        return writer.field(.secWebSocketProtocol, offer.kept.span)
    }

    // MARK: Our fields

    private func writeForwardingFields(_ head: RequestHead, into writer: inout some HeadOutput) -> Bool {
        writer.beginField(.xForwardedFor)
        if peerIsTrusted {
            for field in head.fields(named: .xForwardedFor) {
                guard writer.valuePart(head.bytes.span.extracting(field.value)) else { return false }
                writer.valuePart(", ")
            }
        }
        let peer = hop.address.peer
        guard writer.valuePart(peer.span) else { return false }
        writer.endField()
        if !goesOn(.xForwardedProto, of: head) { writer.field(.xForwardedProto, hop.isSecure ? "https" : "http") }
        if !goesOn(.xForwardedHost, of: head), let authority = head.authority {
            guard writer.field(.xForwardedHost, head.bytes.span.extracting(authority.bytes)) else { return false }
        }
        guard writePrefix(head, into: &writer) else { return false }
        writer.field(.via, via(of: head))
        requestID.write(into: &writer)
        return true
    }

    /// States what was taken off the path, behind what a trusted peer has taken off before.
    private func writePrefix(_ head: RequestHead, into writer: inout some HeadOutput) -> Bool {
        guard let prefix = forwarding.strippedPrefix else { return true }
        writer.beginField(.xForwardedPrefix)
        if peerIsTrusted {
            for field in head.fields(named: .xForwardedPrefix) where !field.value.isEmpty && !head.isNominated(field) {
                guard writer.valuePart(head.bytes.span.extracting(field.value)) else { return false }
                writer.valuePart(", ")
            }
        }
        guard writer.valuePart(prefix.span) else { return false }
        writer.endField()
        return true
    }

    private func via(of head: RequestHead) -> StaticString {
        switch head.version {
        case .http10: "1.0 bearward"
        case .http11: "1.1 bearward"
        case .http2: "2.0 bearward"
        }
    }

    /// Whether a trusted peer's own field was copied; `Connection` can take that away, but not what stands in for it.
    private func goesOn(_ known: KnownField, of head: RequestHead) -> Bool {
        peerIsTrusted && head.fields(named: known).contains { !head.isNominated($0) }
    }
}
