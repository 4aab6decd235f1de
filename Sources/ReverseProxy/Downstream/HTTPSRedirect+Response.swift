import HTTPMessages
import ProxySettings
import RequestAuthorization

extension HTTPSRedirect {
    /// The same host and target by https, as ASCII; nil for a request that names no host.
    ///
    /// What the client sent is repeated as it was parsed: nothing in it can end a line.
    func location(for head: RequestHead) -> String? {
        guard let authority = head.authority else { return nil }
        let host = head.string(authority.host) + (port == 443 ? "" : ":\(port)")
        var target = head.string(head.target.path)
        if !target.hasPrefix("/") { target = "/" }
        if let query = head.target.query { target += "?" + head.string(query) }
        return "https://" + host + target
    }

    /// The whole answer as bytes: 308, which keeps method and body (RFC 9110 §15.4.9).
    static func response(to location: String, closing: ConnectionFate, date: String) -> [UInt8] {
        let head = "HTTP/1.1 308 \(ReasonPhrase.of(308))\r\ndate: \(date)\r\nlocation: \(location)\r\ncontent-length: 0\r\n"
        return Array((head + (closing == .close ? "connection: close\r\n\r\n" : "\r\n")).utf8)
    }
}
