/// What a browser states about the page that sends a request (Fetch §3.2).
extension RequestHead {
    /// Whether the value of an `Origin` field is one origin, not a list of them.
    public func isOneOrigin(_ value: Range<Int>) -> Bool {
        !slice(value).contains { ASCII.isOptionalWhitespace($0) || $0 == ASCII.comma }
    }

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
}
