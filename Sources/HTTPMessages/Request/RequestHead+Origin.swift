import NetworkNames

/// Information that a browser sends about the page that made the request (Fetch §3.2).
extension Span<UInt8> {
    /// True if the value of an `Origin` field is a single origin, not a list.
    public var isOneOrigin: Bool {
        for index in indices where ASCII.isOptionalWhitespace(self[index]) || self[index] == ASCII.comma {
            return false
        }
        return true
    }
}

extension RequestHead {
    /// True if the request is a CORS preflight: a browser asks which request it may send (Fetch §3.2.2).
    public var isPreflight: Bool {
        contains(.origin) && contains(.accessControlRequestMethod) && bytes.span.extracting(method).equals("OPTIONS")
    }

    /// The method that a preflight asks about. Nil if there are several, or if no request could have it.
    public var requestedMethod: Range<Int>? {
        guard let value = only(.accessControlRequestMethod)?.value else { return nil }
        let method = bytes.span.extracting(value)
        return method.isToken && !RegisteredMethods.resemble(method) ? value : nil
    }

    /// True if an origin has the request's own host and port. A missing port means the default of the origin's scheme.
    ///
    /// The scheme itself is not compared. Only the server that terminates TLS knows the request's scheme.
    ///
    /// - Parameter origin: the range of the value of the single `Origin` field.
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
