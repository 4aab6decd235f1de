import HTTPMessages
import StrictJSON
import TokenVerification

extension Rejection {
    /// The whole answer as bytes: status line, fields, and a problem document (RFC 9457) unless the request was HEAD.
    ///
    /// Nothing of the request is reflected in it. `Date` is the caller's to give, already formatted (RFC 9110 §5.6.7).
    public func response(to method: ResponseMethod, closing: ConnectionFate, date: String) -> [UInt8] {
        let body = problem()
        var head = "HTTP/1.1 \(reason.status) \(ReasonPhrase.of(reason.status))\r\ndate: \(date)\r\n"
        if let challenge {
            // Scripts of other origins see no field that is not named so (Fetch §3.3.5).
            head += "www-authenticate: \(challenge.fieldValue)\r\naccess-control-expose-headers: WWW-Authenticate\r\n"
        }
        if let retryAfter { head += "retry-after: \(max(1, Int(retryAfter.inSeconds.rounded(.up))))\r\n" }
        if reason == .methodNotAllowed { head += "allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n" }
        head += "content-type: application/problem+json\r\ncache-control: no-store\r\ncontent-length: \(body.count)\r\n"
        if closing == .close { head += "connection: close\r\n" }
        head += "\r\n"
        return method == .head ? Array(head.utf8) : Array(head.utf8) + body
    }

    /// The problem document: `type`, `title`, `status`, and RFC 6750's members where the challenge has them.
    func problem() -> [UInt8] {
        var bytes: [UInt8] = []
        var json = JSONObjectWriter()
        json.beginObject(into: &bytes)
        json.member("type", string: "about:blank", into: &bytes)
        json.member("title", string: "\(ReasonPhrase.of(reason.status))", into: &bytes)
        json.member("status", integer: reason.status, into: &bytes)
        if let error = challenge?.error { json.member("error", string: error.rawValue, into: &bytes) }
        if let description = challenge?.errorDescription { json.member("error_description", string: description, into: &bytes) }
        json.end(into: &bytes)
        return bytes
    }
}

extension PublishedDocument {
    /// The whole answer as bytes. Any origin's scripts may read it: it says nothing that is not for everyone (RFC 9728 §7.8).
    public func response(to method: ResponseMethod, closing: ConnectionFate, date: String) -> [UInt8] {
        var head = "HTTP/1.1 200 OK\r\ndate: \(date)\r\ncontent-type: application/json\r\ncache-control: public, max-age=300\r\n"
        head += "access-control-allow-origin: *\r\ncontent-length: \(bytes.count)\r\n"
        if closing == .close { head += "connection: close\r\n" }
        head += "\r\n"
        return method == .head ? Array(head.utf8) : Array(head.utf8) + bytes
    }
}

/// Whether the answer's body is wanted: never to HEAD (RFC 9110 §9.3.2).
public enum ResponseMethod: Sendable { case head, other }

/// What becomes of the connection after an answer.
public enum ConnectionFate: Sendable { case keep, close }
