import HTTPMessages
import RequestAuthorization

/// The request to explain, as the bytes that a client would send.
struct ExplainedRequest {
    let method: String
    let url: String
    let token: String?
    let fields: [String]

    /// The head in origin form; what the parser thinks of it is part of the explanation.
    var head: String {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)"]
        if let token { lines.append("Authorization: Bearer \(token)") }
        return (lines + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    private var afterScheme: Substring {
        guard let mark = url.range(of: "://"), !url.hasPrefix("/") else { return url[...] }
        return url[mark.upperBound...]
    }

    /// What the URL says, or this machine for a path alone, which only places for any host match.
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
