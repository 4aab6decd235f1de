import HTTPMessages

/// A request as a person states it: a method, a URL or a path, perhaps a token and more fields.
public struct ExplainedRequest: Sendable {
    public let method: String
    public let url: String
    public let token: String?
    public let fields: [String]

    /// - Parameters:
    ///   - token: a bearer token without its scheme.
    ///   - fields: lines of further fields, `Name: value`.
    public init(method: String, url: String, token: String? = nil, fields: [String] = []) {
        self.method = method
        self.url = url
        self.token = token
        self.fields = fields
    }

    /// The request's head as a client would send it, read as the gateway reads it. The token stands where its resource
    /// looks for it.
    ///
    /// - Throws: what is wrong with it as HTTP. A line break within a part would end the head early, and what follows
    ///   would be another request; that is refused as well.
    public func head(_ limits: HeadLimits, for authorizer: RequestAuthorizer) throws(RequestHeadRejection)
        -> RequestHead
    {
        let place = authorizer.tokenPlace(of: try Self.parsed(text(tokenIn: nil), limits))
        return try Self.parsed(text(tokenIn: place), limits)
    }

    /// What is wrong with it as HTTP, and where. Nil if it has a head.
    public func fault(_ limits: HeadLimits) -> HeadFault? {
        var parser = RequestHeadParser(limits: limits)
        let bytes = Array(text(tokenIn: nil).utf8)
        _ = try? parser.parse(bytes.span)
        return parser.fault(in: bytes.span)
    }

    private static func parsed(_ text: String, _ limits: HeadLimits) throws(RequestHeadRejection) -> RequestHead {
        var parser = RequestHeadParser(limits: limits)
        let bytes = Array(text.utf8)
        guard try parser.parse(bytes.span) == .complete, parser.head.byteCount == bytes.count else {
            throw .malformedRequestLine
        }
        return parser.head
    }

    /// The head in origin form; what the parser thinks of it is part of the explanation.
    private func text(tokenIn place: TokenPlace?) -> String {
        var lines = ["\(method) \(target) HTTP/1.1"]
        // A path alone names no host: a `Host` among the fields does, or else this machine, which only places for any
        // host match.
        if !(url.hasPrefix("/") && fields.contains(where: Self.isHost)) { lines.append("Host: \(host)") }
        if let token, let place { lines.append(place.line(token)) }
        return (lines + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// A URL for people: without the value of an `access_token`.
    public static func shown(_ url: String) -> String { QueryCredentials.masked(url) }

    /// Whether the text is something this can make a request of.
    public static func isURL(_ text: String) -> Bool {
        let scheme = text.lowercased()
        return text.hasPrefix("/") || text == "*" || scheme.hasPrefix("http://") || scheme.hasPrefix("https://")
    }

    private static func isHost(_ field: String) -> Bool {
        field.lowercased().hasPrefix("host:")
    }

    private var afterScheme: Substring {
        guard let mark = url.range(of: "://"), !url.hasPrefix("/") else { return url[...] }
        return url[mark.upperBound...]
    }

    /// What the URL says, or this machine for a path alone.
    private var host: String {
        guard !url.hasPrefix("/"), url != "*" else { return "localhost" }
        return String(afterScheme.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    private var target: String {
        guard !url.hasPrefix("/"), url != "*" else { return url }
        let rest = afterScheme.drop { $0 != "/" && $0 != "?" && $0 != "#" }
        return rest.hasPrefix("/") ? String(rest) : "/" + rest
    }
}

extension StringProtocol {
    /// Where `text` first stands.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
