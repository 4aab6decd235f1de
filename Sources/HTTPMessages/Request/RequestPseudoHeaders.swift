/// The pseudo-header fields of one HTTP/2 request (RFC 9113 §8.3.1, RFC 8441 §4).
struct RequestPseudoHeaders: Sendable {
    /// The values, one behind the other.
    private(set) var bytes: [UInt8] = []
    private(set) var method: Range<Int>?
    private(set) var scheme: Range<Int>?
    private(set) var path: Range<Int>?
    private(set) var authority: Range<Int>?
    private(set) var connectProtocol: Range<Int>?
    private(set) var pathIsNeverIndexed = false
    private(set) var authorityIsNeverIndexed = false

    /// Takes the next one; refuses one that is there already, and one that no request has.
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
    }

    /// Forgets all of them. Storage is kept up to a size, so that one large request does not cost memory for good.
    mutating func removeAll(keepingUpTo size: Int) {
        var bytes = self.bytes
        self = RequestPseudoHeaders()
        guard bytes.capacity <= size else { return }
        bytes.removeAll(keepingCapacity: true)
        self.bytes = bytes
    }

    var methodIsHEAD: Bool { `is`(method, "HEAD") }

    /// Whether the request asks for the WebSocket protocol, as HTTP/2 does that (RFC 8441 §5).
    var asksForWebSocket: Bool { isCONNECT && `is`(connectProtocol, "websocket") }

    /// Checks that all are there that must be, and none besides, each with a value that it may have.
    ///
    /// - Returns: the method, and what is the target in a request line.
    func checked() throws(RequestMalformation) -> (method: Range<Int>, target: Range<Int>) {
        guard let method, connectProtocol == nil || isCONNECT else { throw .pseudoHeader }
        let target = try checkedTarget()
        guard let target, bytes.span.extracting(target).isReceivedTarget else { throw .path }
        guard bytes.span.extracting(method).isToken else { throw .method }
        return (method, target)
    }

    private func checkedTarget() throws(RequestMalformation) -> Range<Int>? {
        if isCONNECT, !asksForWebSocket {
            // Its own form (RFC 9113 §8.5, RFC 8441 §4), refused like HTTP/1.1's.
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
