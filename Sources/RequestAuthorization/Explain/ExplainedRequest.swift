import HTTPMessages

/// A request as a person writes it for `explain`: a method, a URL or a path, optionally a token and more fields.
public struct ExplainedRequest: Sendable {
    public let method: String
    public let url: String
    public let token: String?
    public let fields: [String]
    /// Field that has the token, if the resource takes tokens from several. Nil for the first of them.
    public let tokenField: FieldName?

    /// - Parameters:
    ///   - token: a bearer token without its scheme.
    ///   - fields: lines of further fields, `Name: value`.
    ///   - tokenField: field that has the token. Nil for the first that the resource takes tokens from.
    public init(
        method: String, url: String, token: String? = nil, fields: [String] = [], tokenField: FieldName? = nil
    ) {
        self.method = method
        self.url = url
        self.token = token
        self.fields = fields
        self.tokenField = tokenField
    }

    /// Builds the head that a client would send, parsed as the gateway parses it. The token is put where the resource
    /// looks for it.
    ///
    /// - Throws: the HTTP fault of the request. A line break within a part is rejected as well: it would end the head
    ///   early, and the rest would be another request.
    public func head(_ limits: HeadLimits, for authorizer: RequestAuthorizer) throws(RequestHeadRejection)
        -> RequestHead
    {
        let places = authorizer.tokenPlaces(of: try Self.parsed(text(tokenIn: nil), limits))
        return try Self.parsed(text(tokenIn: place(among: places)), limits)
    }

    /// Resource of the request, whatever its rule and its token. Nil if no resource is found, or the request is not
    /// valid HTTP.
    public func resource(_ limits: HeadLimits, of authorizer: RequestAuthorizer) -> ProtectedResource? {
        (try? Self.parsed(text(tokenIn: nil), limits)).flatMap { authorizer.resource(of: $0) }
    }

    /// Location of the token. A field that the resource does not take tokens from gets the token alone. Nil if there is
    /// no location to choose from.
    private func place(among places: [TokenPlace]) -> TokenPlace? {
        guard let tokenField else { return places.first }
        return places.first { place in
            switch place {
            case .authorization: tokenField == FieldName(.authorization)
            case .field(let field): tokenField == field.name
            case .subprotocol: false
            }
        } ?? .field(TokenField(tokenField))
    }

    /// The fault of the request as HTTP, and its location. Nil if the head is well-formed.
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

    /// Text of the head in origin form. It is not checked here; the parser's verdict is part of the explanation.
    private func text(tokenIn place: TokenPlace?) -> String {
        var lines = ["\(method) \(target) HTTP/1.1"]
        // A bare path names no host. `Host` then comes from the fields, or is `localhost`, which only places for any
        // host match.
        if !(url.hasPrefix("/") && fields.contains(where: Self.isHost)) { lines.append("Host: \(host)") }
        if let token, let place { lines.append(place.line(token)) }
        return (lines + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Returns a URL to show to people: the value of any `access_token` is masked.
    public static func shown(_ url: String) -> String { QueryCredentials.masked(url) }

    /// True if the text is a URL, a path or `*`, so that a request can be made from it.
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

    /// The host of the URL, or `localhost` for a bare path.
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
    /// Range of the first occurrence of `text`. Nil if it does not occur.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
