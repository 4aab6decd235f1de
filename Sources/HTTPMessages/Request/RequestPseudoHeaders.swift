import NetworkNames

/// The pseudo-header fields of one HTTP/2 request (RFC 9113 §8.3.1, RFC 8441 §4).
struct RequestPseudoHeaders: Sendable {
    /// The values, one after another. The ranges are offsets in these bytes.
    private(set) var bytes: [UInt8] = []
    private(set) var method: Range<Int>?
    private(set) var scheme: Range<Int>?
    private(set) var path: Range<Int>?
    private(set) var authority: Range<Int>?
    private(set) var connectProtocol: Range<Int>?
    /// True if the request asks for the WebSocket protocol in the way of HTTP/2 (RFC 8441 §5).
    private(set) var asksForWebSocket = false
    private(set) var pathIsNeverIndexed = false
    private(set) var authorityIsNeverIndexed = false

    /// Adds the next pseudo-header field. Refuses a repeated one, and one that requests do not have.
    mutating func add(_ name: Span<UInt8>, _ value: Span<UInt8>, isNeverIndexed: Bool) throws(RequestMalformation) {
        let range = bytes.count..<bytes.count &+ value.count
        if method == nil, name.equals(":method") {
            method = range
        } else if path == nil, name.equals(":path") {
            path = range
            pathIsNeverIndexed = isNeverIndexed
        } else if scheme == nil, name.equals(":scheme") {
            scheme = range
        } else if authority == nil, name.equals(":authority") {
            authority = range
            authorityIsNeverIndexed = isNeverIndexed
        } else if connectProtocol == nil, name.equals(":protocol") {
            connectProtocol = range
        } else {
            throw .pseudoHeader
        }
        unsafe value.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        if connectProtocol != nil { asksForWebSocket = isCONNECT && `is`(connectProtocol, "websocket") }
    }

    /// Removes all fields. Storage is kept only up to a size, so that one large request does not occupy memory
    /// permanently.
    mutating func removeAll(keepingUpTo size: Int) {
        if bytes.capacity <= size { bytes.removeAll(keepingCapacity: true) } else { bytes = [] }
        (method, scheme, path, authority, connectProtocol) = (nil, nil, nil, nil, nil)
        (asksForWebSocket, pathIsNeverIndexed, authorityIsNeverIndexed) = (false, false, false)
    }

    var methodIsHEAD: Bool { `is`(method, "HEAD") }

    /// Checks that all required fields are present, no others, and each with a permitted value.
    ///
    /// - Returns: the method, and the value that is the target of the request line.
    func checked() throws(RequestMalformation) -> (method: Range<Int>, target: Range<Int>) {
        guard let method, connectProtocol == nil || isCONNECT else { throw .pseudoHeader }
        let target = try checkedTarget()
        guard let target, bytes.span.extracting(target).isReceivedTarget else { throw .path }
        guard bytes.span.extracting(method).isToken else { throw .method }
        return (method, target)
    }

    private func checkedTarget() throws(RequestMalformation) -> Range<Int>? {
        if isCONNECT, !asksForWebSocket {
            // CONNECT has a different set of fields (RFC 9113 §8.5, RFC 8441 §4). It is refused later, like CONNECT in
            // HTTP/1.1.
            guard connectProtocol != nil || path == nil && scheme == nil else { throw .pseudoHeader }
            return authority
        }
        guard `is`(scheme, "http") || `is`(scheme, "https") else { throw .scheme }
        guard let path, let first = path.first else { throw .path }
        // in bounds: a range of these bytes that is not empty
        guard bytes[first] == ASCII.slash || `is`(path, "*") && `is`(method, "OPTIONS") else { throw .path }
        return path
    }

    private var isCONNECT: Bool { `is`(method, "CONNECT") }

    private func `is`(_ range: Range<Int>?, _ text: StaticString) -> Bool {
        guard let range else { return false }
        return bytes.span.extracting(range).equals(text)
    }
}
