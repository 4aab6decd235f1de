import AccessControl
import HTTPMessages
import ProxySettings
import RequestAuthorization
import Telemetry

/// Writer of the upstream request head: the judged path, the client's fields without hop-by-hop and unsafe ones, and
/// ours.
struct UpstreamRequestHead: ~Copyable {
    let forwarding: Forwarding
    let group: UpstreamGroup
    /// Host and port of the target.
    let authority: [UInt8]
    let edits: HeaderEdits
    let hop: DownstreamHop
    /// True if the peer's own forwarding fields are believed.
    let peerIsTrusted: Bool
    let requestID: RequestID
    let trace: ForwardedTrace
    /// True if the gateway has received the whole body, so `Expect: 100-continue` is not forwarded.
    var bodyIsHere = false
    /// WebSocket handshake with the upstream. Nil if the request is none.
    var webSocket: WebSocketRequest?

    /// Writes the whole head. False if the parser and router accepted a value that no head may hold; do not use the
    /// output then.
    ///
    /// - Parameters:
    ///   - head: Not changed; `inout` so that a head in a class's property is not copied.
    ///   - path: Canonical path of the request.
    func write(_ head: inout RequestHead, path: [UInt8], into writer: inout some HeadOutput) -> Bool {
        write(head, path, into: &writer)
    }

    private func write(_ head: RequestHead, _ path: [UInt8], into writer: inout some HeadOutput) -> Bool {
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
        // Complete lines, already encoded. A token is forwarded as the client wrote it.
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
        let kept = keptTraceFields(of: head)
        writer.copy(section) { field in
            passes(field, of: head, kept) && !edits.removes(field, of: head)
                && !(mayBeNominated && section.isNominated(field))
                && (field.known != .expect || head.expectsContinue && !bodyIsHere)
        }
    }

    /// The client's trace fields that are forwarded. A malformed `traceparent` is removed together with `tracestate`,
    /// which means nothing without it.
    private func keptTraceFields(of head: RequestHead) -> (parent: Bool, state: Bool, others: Bool) {
        switch trace {
        case .received:
            let isWellFormed = head.contains(.traceparent) && TraceContext(in: head) != nil
            return (isWellFormed, isWellFormed, true)
        case .own(_, let keepsOthers): return (false, keepsOthers, keepsOthers)
        }
    }

    /// True if the field's name allows it to be forwarded.
    private func passes(
        _ field: HeaderField, of head: RequestHead, _ kept: (parent: Bool, state: Bool, others: Bool)
    ) -> Bool {
        guard let known = field.known else {
            if let lookAlike = field.lookAlike { return lookAlikePasses(lookAlike) }
            return proxyFieldPasses(head.proxyField(field), kept.others)
        }
        switch known {
        case .host, .contentLength, .xForwardedFor, .xRequestID: return false
        case .authorization: return forwarding.keepsAuthorization
        case .via: return peerIsTrusted
        case .xForwardedPrefix: return peerIsTrusted && forwarding.strippedPrefix == nil
        case .traceparent: return kept.parent
        case .tracestate: return kept.state
        default: return !known.isHopByHop && !known.isNeverForwarded && (peerIsTrusted || !known.isForwarding)
        }
    }

    /// True if a name that resembles a known field may be forwarded. A server that turns field names into variables
    /// would take `X_Forwarded_For` or `X.Forwarded.For` for ours. Such names are removed, even from trusted peers.
    private func lookAlikePasses(_ known: KnownField) -> Bool {
        !known.isForwarding && !known.overridesRequestLine && known != .authorization && known != .xRequestID
    }

    /// True if a field of another proxy may be forwarded: only from trusted peers, and only in the exact spelling that
    /// they know to remove.
    private func proxyFieldPasses(_ spelling: ProxyField?, _ keepsTraces: Bool) -> Bool {
        switch spelling {
        case .trace: keepsTraces
        case nil: true
        case .name: peerIsTrusted
        case .lookAlike: false
        }
    }

    /// Writes the offered subprotocols without a token among them, unless the client's field was copied unchanged.
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
        if case .own(let context, _) = trace {
            let text = context.text
            writer.field(.traceparent, composed: text.span)
        }
        return true
    }

    /// Writes `X-Forwarded-Prefix` with the stripped path prefix, after those that trusted peers stripped before.
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

    /// True if a trusted peer's own field was copied. `Connection` can remove that field, but not the value that we
    /// write in its place.
    private func goesOn(_ known: KnownField, of head: RequestHead) -> Bool {
        peerIsTrusted && head.fields(named: known).contains { !head.isNominated($0) }
    }
}
