import HTTPTypes

/// Rule for requests that change something, or whose answers name persons: they need the admin token.
///
/// Requests of pages of other sites are refused, and so are those that a proxy forwarded. Requests that neither change
/// something nor name persons need only ``LocalHost``.
struct OperatorPermission {
    /// The bearer token of `admin.token_file`. Nil if the file has none.
    let token: [UInt8]?

    /// Fields that a proxy adds. A request with one counts as remote, whatever its peer is.
    private static let forwarding: Set<String> = ["forwarded", "via"]
    private static let forwardingPrefix = "x-forwarded-"
    /// Values of `Sec-Fetch-Site` for pages of this listener and for addresses that a person typed.
    private static let ownSites: Set<String> = ["same-origin", "none"]

    /// The reason to refuse the request. Nil if it is permitted.
    func refusal(of head: HTTPRequest) -> (status: Int, words: String)? {
        // Checked before the token, so that a page cannot find out whether it guessed the token.
        for field in head.headerFields {
            if let words = Self.refusal(of: field, host: head.authority) { return (403, words) }
        }
        guard LocalHost.permits(head.authority) else { return (421, LocalHost.refusal) }
        guard let token else { return (403, "this needs admin.token_file, which the file does not have") }
        guard let authorization = head.headerFields[.authorization], Self.matches(authorization, token) else {
            return (401, "send the token of admin.token_file: `Authorization: Bearer TOKEN`")
        }
        return nil
    }

    /// Words against a field that pages of other sites or proxies send. Nil if there is nothing against it.
    private static func refusal(of field: HTTPField, host: String?) -> String? {
        switch field.name.canonicalName {
        case let name where forwarding.contains(name) || name.hasPrefix(forwardingPrefix):
            "requests that a proxy forwarded (with `Forwarded`, `Via` or `X-Forwarded-…`) are refused"
        case "sec-fetch-site" where !ownSites.contains(field.value):
            "requests from pages of other sites (by `Sec-Fetch-Site`) are refused"
        case "origin" where !isOwn(field.value, host: host):
            "requests from pages of other sites (by `Origin`) are refused"
        default: nil
        }
    }

    /// True for the origin of a page of this listener, which is served without TLS.
    private static func isOwn(_ origin: String, host: String?) -> Bool {
        host.map { origin.lowercased() == "http://\($0.lowercased())" } ?? false
    }

    /// Compares the tokens in a time that depends only on their lengths.
    private static func matches(_ authorization: String, _ token: [UInt8]) -> Bool {
        let scheme = "bearer "
        guard authorization.lowercased().hasPrefix(scheme) else { return false }
        let sent = Array(authorization.utf8.dropFirst(scheme.utf8.count))
        guard sent.count == token.count else { return false }
        return zip(sent, token).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
