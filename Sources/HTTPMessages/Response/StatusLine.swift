import NetworkNames

/// Parser for a status line (RFC 9112 §4): `HTTP/1.d SP 3DIGIT [SP reason]`.
///
/// The grammar requires the space after the status. Servers without reason phrases leave it out, and nothing depends on
/// it.
struct StatusLine {
    var version: HTTPVersion
    var status: Int
    var reason: Range<Int>

    init(_ line: Range<Int>, in bytes: Span<UInt8>) throws(ResponseHeadRejection) {
        let text = bytes.extracting(line)
        guard text.count >= 12, text[8] == ASCII.space else { throw .malformedStatusLine }
        version = try Self.version(text.extracting(first: 8))
        guard text.count == 12 || text[12] == ASCII.space else { throw .malformedStatusLine }
        guard let status = NetworkNames.ASCII.decimal(text.extracting(9..<12), atMost: 999) else {
            throw .malformedStatusLine
        }
        guard status >= 100, status <= 599 else { throw .invalidStatus }
        self.status = status
        reason = min(line.lowerBound &+ 13, line.upperBound)..<line.upperBound
    }

    private static func version(_ text: Span<UInt8>) throws(ResponseHeadRejection) -> HTTPVersion {
        if text.equals("HTTP/1.1") { return .http11 }
        if text.equals("HTTP/1.0") { return .http10 }
        guard text.isHTTPVersion else { throw .malformedStatusLine }
        throw .versionNotSupported
    }
}
