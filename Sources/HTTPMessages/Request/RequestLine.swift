import NetworkNames

/// Parser for a request line (RFC 9112 §3): `METHOD SP target SP HTTP/d.d`, with exactly one space each.
struct RequestLine {
    var method: Range<Int>
    var target: RequestTarget
    var version: HTTPVersion

    /// The authority of an absolute target, and its scheme's default port. Nil for other targets.
    var authority: TargetAuthority?

    typealias TargetAuthority = (Authority, defaultPort: Int)

    /// Length limit of a method in bytes. The longest registered method has 17 characters.
    private static let longestMethod = 64

    init(_ line: Range<Int>, in bytes: Span<UInt8>, limits: HeadLimits) throws(RequestHeadRejection) {
        method = try Self.method(line, in: bytes)
        let rest = method.upperBound &+ 1..<line.upperBound
        let scan = try Self.target(rest, in: bytes)
        let whole = rest.lowerBound..<scan.end
        guard whole.count <= limits.target else { throw .targetTooLong }
        version = try Self.version(whole.upperBound &+ 1..<line.upperBound, in: bytes)
        (target, authority) = try Self.judge(bytes.extracting(method), whole, scan, in: bytes)
    }

    /// Validates a method and a target that arrived as HTTP/2 fields (RFC 9113 §8.3.1). The method must be a token, and
    /// the target free of white space and control characters.
    init(method: Range<Int>, target whole: Range<Int>, in bytes: Span<UInt8>, limits: HeadLimits)
        throws(RequestHeadRejection)
    {
        self.method = method
        version = .http2
        try Self.check(bytes.extracting(method))
        guard whole.count <= limits.target else { throw .targetTooLong }
        guard !whole.isEmpty else { throw .invalidTargetForm }
        let scan = TargetScan(whole, in: bytes)
        guard scan.end == whole.upperBound else { throw .fragmentInTarget }
        (target, authority) = try Self.judge(bytes.extracting(method), whole, scan, in: bytes)
    }

    /// Result of a single scan over a target.
    private struct TargetScan {
        /// Offset after the target: the end of the range, or the first byte that is not allowed in a target.
        private(set) var end: Int
        /// Offset of the first question mark. Nil if there is none.
        private(set) var question: Int?
        /// True if the target has a byte above 0x7F.
        private(set) var hasObsText: Bool

        init(_ range: Range<Int>, in bytes: Span<UInt8>) {
            var index = range.lowerBound
            var all: UInt8 = 0
            while index < range.upperBound, ASCII.isReceivedTarget(bytes[index]) {
                if bytes[index] == ASCII.questionMark, question == nil { question = index }
                all |= bytes[index]
                index &+= 1
            }
            end = index
            hasObsText = all >= 0x80
        }
    }

    private static func judge(
        _ method: Span<UInt8>,
        _ target: Range<Int>,
        _ scan: TargetScan,
        in bytes: Span<UInt8>
    ) throws(RequestHeadRejection) -> (RequestTarget, TargetAuthority?) {
        // Neither has a use in a gateway. Requests inside a tunnel could not be authorised, and TRACE would show
        // credentials to scripts.
        guard !method.equals("CONNECT"), !method.equals("TRACE") else { throw .methodNotAllowed }
        let judged = try form(target, question: scan.question, isOptions: method.equals("OPTIONS"), in: bytes)
        // The path's normal form shows later whether the path is UTF-8. A query is forwarded unchanged, so it must be
        // UTF-8: readers with other encodings would understand it differently.
        if scan.hasObsText, let query = judged.0.query, !bytes.extracting(query).isUTF8 { throw .queryNotUTF8 }
        return judged
    }

    private static func check(_ method: Span<UInt8>) throws(RequestHeadRejection) {
        guard !method.isEmpty, method.count <= longestMethod else { throw .invalidMethod }
        guard !RegisteredMethods.resemble(method) else { throw .miscasedMethod }
    }

    private static func method(_ line: Range<Int>, in bytes: Span<UInt8>) throws(RequestHeadRejection) -> Range<Int> {
        var index = line.lowerBound
        while index < line.upperBound, ASCII.isToken(bytes[index]) { index &+= 1 }
        guard index < line.upperBound else { throw .malformedRequestLine }
        let method = line.lowerBound..<index
        guard bytes[index] == ASCII.space else { throw .invalidMethod }
        try check(bytes.extracting(method))
        return method
    }

    private static func target(_ rest: Range<Int>, in bytes: Span<UInt8>) throws(RequestHeadRejection) -> TargetScan {
        let scan = TargetScan(rest, in: bytes)
        guard scan.end < rest.upperBound, scan.end > rest.lowerBound || bytes[scan.end] != ASCII.space else {
            throw .malformedRequestLine
        }
        // The only control character in a line is a tab.
        switch bytes[scan.end] {
        case ASCII.space: return scan
        case ASCII.numberSign: throw .fragmentInTarget
        default: throw .malformedRequestLine
        }
    }

    private static func version(_ range: Range<Int>, in bytes: Span<UInt8>) throws(RequestHeadRejection) -> HTTPVersion
    {
        let text = bytes.extracting(range)
        if text.equals("HTTP/1.1") { return .http11 }
        if text.equals("HTTP/1.0") { return .http10 }
        for index in text.indices where ASCII.isOptionalWhitespace(text[index]) { throw .malformedRequestLine }
        guard text.isHTTPVersion else { throw .malformedVersion }
        throw .versionNotSupported
    }

    private static func form(
        _ whole: Range<Int>,
        question: Int?,
        isOptions: Bool,
        in bytes: Span<UInt8>
    ) throws(RequestHeadRejection) -> (RequestTarget, TargetAuthority?) {
        let pathEnd = question ?? whole.upperBound
        let query = question.map { $0 &+ 1..<whole.upperBound }
        if bytes[whole.lowerBound] == ASCII.slash {
            return (RequestTarget(form: .origin, bytes: whole, path: whole.lowerBound..<pathEnd, query: query), nil)
        }
        if whole.count == 1, bytes[whole.lowerBound] == ASCII.asterisk {
            guard isOptions else { throw .asteriskWithoutOptions }
            return (RequestTarget(form: .asterisk, bytes: whole, path: whole, query: nil), nil)
        }
        let (start, defaultPort) = try scheme(whole, in: bytes)
        var end = start
        while end < pathEnd, bytes[end] != ASCII.slash { end &+= 1 }
        guard let authority = Authority.parse(start..<end, in: bytes) else { throw .invalidTargetAuthority }
        return (
            RequestTarget(form: .absolute, bytes: whole, path: end..<pathEnd, query: query), (authority, defaultPort)
        )
    }

    /// Offset of the authority of an absolute target, and its scheme's default port.
    private static func scheme(
        _ whole: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(RequestHeadRejection) -> (start: Int, defaultPort: Int) {
        let target = bytes.extracting(whole)
        if target.hasPrefix("http://") { return (whole.lowerBound &+ 7, 80) }
        if target.hasPrefix("https://") { return (whole.lowerBound &+ 8, 443) }
        throw .invalidTargetForm
    }
}
