/// Origin of the page that sends a request, as a browser states it (Fetch §3.2).
extension Span<UInt8> {
    /// Whether the value of an `Origin` field is one origin, not a list of them.
    public var isOneOrigin: Bool {
        for index in indices where ASCII.isOptionalWhitespace(self[index]) || self[index] == ASCII.comma {
            return false
        }
        return true
    }
}

extension RequestHead {
    /// Whether a browser asks what it may send, before it sends it (Fetch §3.2.2).
    public var isPreflight: Bool {
        contains(.origin) && contains(.accessControlRequestMethod) && bytes.span.extracting(method).equals("OPTIONS")
    }

    /// The method that a preflight asks about; nil if there are several, or if no request could have it.
    public var requestedMethod: Range<Int>? {
        guard let value = only(.accessControlRequestMethod)?.value else { return nil }
        let method = bytes.span.extracting(value)
        return method.isToken && !RegisteredMethods.resemble(method) ? value : nil
    }

    /// Whether an origin has the request's own host and port; a port that is not written is the one of the origin's
    /// scheme.
    ///
    /// Not compared: the scheme. The request's is known only to whatever ends TLS.
    ///
    /// - Parameter origin: where the value of the one `Origin` field stands.
    public func isOwnOrigin(_ origin: Range<Int>) -> Bool {
        let head = bytes.span
        let value = head.extracting(origin)
        let isSecure = value.hasPrefix("https://")
        guard let authority, isSecure || value.hasPrefix("http://"),
            let stated = Authority.parse(origin.lowerBound &+ (isSecure ? 8 : 7)..<origin.upperBound, in: head)
        else { return false }
        return authority.agrees(with: stated, defaultPort: isSecure ? 443 : 80, in: head)
    }
}
