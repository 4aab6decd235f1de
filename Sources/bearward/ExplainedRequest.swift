import HTTPMessages
import RequestAuthorization

/// The request to explain, as the bytes that a client would send.
struct ExplainedRequest {
    let method: String
    let url: String
    let token: String?
    let fields: [String]

    /// The head in origin form; what the parser thinks of it is part of the explanation.
    ///
    /// - Parameter place: where the token goes; nil: it is left out.
    func head(tokenIn place: TokenPlace?) -> String {
        var lines = ["\(method) \(target) HTTP/1.1"]
        // A path alone names no host: a `Host` among the fields does, or else this machine, which only places for any host match.
        if !(url.hasPrefix("/") && fields.contains(where: Self.isHost)) { lines.append("Host: \(host)") }
        if let token, let place { lines.append(place.line(token)) }
        return (lines + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Whether the text is something this can make a request of.
    static func isURL(_ text: String) -> Bool {
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
