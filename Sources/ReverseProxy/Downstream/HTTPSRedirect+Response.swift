import HTTPMessages
import ProxySettings
import RequestAuthorization

extension HTTPSRedirect {
    /// The same host and target with `https`, as ASCII. Nil if the request names no host.
    ///
    /// The client's text is repeated as parsed, except that characters not allowed in a URI are percent-encoded. So it
    /// cannot contain a line end.
    func location(for head: RequestHead) -> String? {
        guard let authority = head.authority else { return nil }
        let host = head.string(authority.host) + (port == 443 ? "" : ":\(port)")
        return "https://" + host + head.encodedTarget
    }

    /// Writes the whole answer: 308, which keeps method and body (RFC 9110 §15.4.9).
    static func write(_ location: String, into head: inout some HeadOutput, _ terms: AnswerTerms) {
        head.beginAnswer(308, terms)
        head.trusted("location", location)
        head.endAnswer(contentLength: 0, terms)
    }
}
