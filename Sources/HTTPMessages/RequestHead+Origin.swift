/// What a browser states about the page that sends a request (Fetch §3.2).
extension RequestHead {
    /// Where the request's origin stands; nil if there are several, as two fields or as a list, and nobody can tell whose page it is.
    public var singleOrigin: Range<Int>? {
        guard count(of: .origin) == 1, let value = first(.origin)?.value else { return nil }
        return slice(value).contains { ASCII.isOptionalWhitespace($0) || $0 == ASCII.comma } ? nil : value
    }

    /// Whether a browser asks what it may send, before it sends it (Fetch §3.2.2).
    public var isPreflight: Bool {
        contains(.origin) && contains(.accessControlRequestMethod) && bytes.span.extracting(method).equals("OPTIONS")
    }

    /// The method that a preflight asks about; nil if there are several, or if no request could have it.
    public var requestedMethod: Range<Int>? {
        guard count(of: .accessControlRequestMethod) == 1, let value = first(.accessControlRequestMethod)?.value else { return nil }
        let method = bytes.span.extracting(value)
        return method.isToken && !RegisteredMethods.resemble(method) ? value : nil
    }
}
