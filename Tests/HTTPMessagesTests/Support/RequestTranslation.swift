import NetworkNames

@testable import HTTPMessages

/// Writes the field section of an HTTP/2 request as the head of an HTTP/1.1 request (RFC 9113 §8.3) for the HTTP/1.1
/// parser, with which `RequestHeadBuilder` is compared.
///
/// Only differences between the two forms are judged here. Nothing is written that could be read as more than one field
/// or line.
struct RequestTranslation: ~Copyable {
    /// Framing of the body after the head.
    private(set) var framing = BodyFraming.none
    private(set) var methodIsHEAD = false

    private var method: String?
    private var scheme: String?
    private var path: [UInt8]?
    private var authority: String?
    private var connectProtocol: String?
    private var fieldsBegan = false
    private var host: String?
    private var cookies: [UInt8]?
    private var contentLength: String?
    /// Complete lines.
    private var lines = HeadWriter()

    init() {}

    /// Takes the next field, in the order of the section.
    mutating func add(_ name: String, _ bytes: [UInt8]) throws(RequestMalformation) {
        // Of values with bytes above 0x7F only the bytes are used.
        let value = String(decoding: bytes, as: UTF8.self)
        guard name.utf8.first != ASCII.colon else { return try addPseudoHeader(name, value, bytes) }
        fieldsBegan = true
        guard name.isFieldNameOfHTTP2 else { throw .invalidFieldName }
        guard bytes.span.isFieldValue, !value.hasOuterWhitespace else { throw .invalidFieldValue }
        switch name {
        case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade": throw .connectionField
        case "te" where value != "trailers": throw .connectionField
        case "host":
            guard host == nil else { throw .repeatedHost }
            host = value
        // Sent in crumbs so that they compress well; HTTP/1.1 has one field (RFC 9113 §8.2.3).
        case "cookie": cookies = cookies.map { $0 + Array("; ".utf8) + bytes } ?? bytes
        case "content-length":
            guard contentLength == nil else { throw .contentLength }
            contentLength = value
        // The key is the gateway's own, if there is one (RFC 8441 §5).
        case "sec-websocket-key" where asksForWebSocket: break
        default:
            guard lines.field(name.utf8.span, bytes.span) else { throw .invalidFieldValue }
        }
    }

    private mutating func addPseudoHeader(_ name: String, _ value: String, _ bytes: [UInt8]) throws(RequestMalformation)
    {
        guard !fieldsBegan else { throw .latePseudoHeader }
        switch name {
        case ":method" where method == nil: method = value
        case ":scheme" where scheme == nil: scheme = value
        case ":path" where path == nil: path = bytes
        case ":authority" where authority == nil: authority = value
        case ":protocol" where connectProtocol == nil: connectProtocol = value
        default: throw .pseudoHeader
        }
    }

    /// True for an extended CONNECT for WebSocket (RFC 8441 §5); known after the pseudo-header fields.
    var asksForWebSocket: Bool { method == "CONNECT" && connectProtocol == "websocket" }

    /// Writes the whole head.
    ///
    /// - Parameters:
    ///   - endsStream: true if nothing follows the section.
    ///   - webSocketKey: key for an extended CONNECT for WebSocket: HTTP/1.1 has a key there, HTTP/2 has none.
    mutating func write(into writer: inout HeadWriter, endsStream: Bool, webSocketKey: String = "")
        throws(RequestMalformation)
    {
        guard let method else { throw .pseudoHeader }
        methodIsHEAD = method == "HEAD"
        writer.reset()
        if asksForWebSocket { return try writeHandshake(webSocketKey, into: &writer, endsStream: endsStream) }
        guard connectProtocol == nil || method == "CONNECT" else { throw .pseudoHeader }
        try writeRequestLine(method, into: &writer)
        try writeHost(into: &writer)
        try writeFields(into: &writer)
        try writeFraming(endsStream: endsStream, into: &writer)
        writer.finish()
    }

    /// Writes the same handshake in HTTP/1.1. No other request follows on a stream, so the head closes the connection.
    private mutating func writeHandshake(_ key: String, into writer: inout HeadWriter, endsStream: Bool)
        throws(RequestMalformation)
    {
        guard !endsStream, contentLength == nil else { throw .contentLength }
        try writeRequestLine("GET", into: &writer)
        try writeHost(into: &writer)
        try writeFields(into: &writer)
        writer.field("connection", "upgrade, close")
        writer.field("upgrade", "websocket")
        guard writer.field("sec-websocket-key", key.utf8.span) else { throw .invalidFieldValue }
        writer.finish()
    }

    private func writeFields(into writer: inout HeadWriter) throws(RequestMalformation) {
        writer.append(lines)
        if let cookies, !writer.field("cookie", cookies.span) { throw .invalidFieldValue }
    }

    private func writeRequestLine(_ method: String, into writer: inout HeadWriter) throws(RequestMalformation) {
        var target = path
        if method == "CONNECT" {
            // A tunnel has its own form (RFC 9113 §8.5, RFC 8441 §4); the parser refuses it as in HTTP/1.1.
            guard connectProtocol != nil || path == nil && scheme == nil else { throw .pseudoHeader }
            target = authority.map { Array($0.utf8) }
        } else {
            guard scheme == "http" || scheme == "https" else { throw .scheme }
            guard let path, path.first == ASCII.slash || path == Array("*".utf8) && method == "OPTIONS" else {
                throw .path
            }
        }
        guard let target, target.span.isReceivedTarget else { throw .path }
        guard writer.requestLine(method: method.utf8.span, received: target.span) else { throw .method }
    }

    /// Writes the host. `:authority` and `host` are equal, or only one of them is there (RFC 9113 §8.3.1).
    private func writeHost(into writer: inout HeadWriter) throws(RequestMalformation) {
        if let host, let authority, host.lowercased() != authority.lowercased() { throw .hostContradictsAuthority }
        guard let name = authority ?? host else { return }
        guard writer.field("host", name.utf8.span) else { throw .invalidFieldValue }
    }

    private mutating func writeFraming(endsStream: Bool, into writer: inout HeadWriter) throws(RequestMalformation) {
        if let contentLength {
            guard let length = try? ContentLength.parse(contentLength.utf8.span), !endsStream || length == 0 else {
                throw .contentLength
            }
            framing = .length(length)
            writer.field("content-length", length)
        } else if !endsStream {
            framing = .chunked
            writer.field("transfer-encoding", "chunked")
        }
    }
}

extension String {
    /// True for a token without capital letters: a field name of HTTP/2 (RFC 9113 §8.2.1).
    var isFieldNameOfHTTP2: Bool { utf8.span.isToken && !utf8.contains { ASCII.lowercased($0) != $0 } }

    /// True if there is white space around the value, which HTTP/2 forbids (RFC 9113 §8.2.1).
    fileprivate var hasOuterWhitespace: Bool {
        [utf8.first, utf8.last].contains { $0.map(ASCII.isOptionalWhitespace) ?? false }
    }
}
