/// Rule for requests whose answers name persons: that of changes, and in addition no requests that a page of another
/// site sends, and none that a proxy forwarded.
struct PersonPermission {
    let permission: ChangePermission

    /// Fields that a proxy adds. A request with one counts as remote, whatever its peer is.
    private static let forwarding: Set<String> = ["forwarded", "via"]
    private static let forwardingPrefix = "x-forwarded-"
    /// Values of `Sec-Fetch-Site` for pages of this listener and for addresses that a person typed.
    private static let ownSites: Set<String> = ["same-origin", "none"]

    /// The reason to refuse the request. Nil if it is permitted.
    ///
    /// - Parameters:
    ///   - fields: all fields of the request, their names in lower case.
    func refusal(
        host: String?, authorization: String?, fields: some Sequence<(name: String, value: String)>
    ) -> (status: Int, words: String)? {
        // Checked before the token, so that a page cannot find out whether it guessed the token.
        for (name, value) in fields {
            if Self.forwarding.contains(name) || name.hasPrefix(Self.forwardingPrefix) {
                return (403, "requests that a proxy forwarded (with `Forwarded`, `Via` or `X-Forwarded-…`) are refused")
            }
            if name == "sec-fetch-site", !Self.ownSites.contains(value) {
                return (403, "requests from pages of other sites (by `Sec-Fetch-Site`) are refused")
            }
            if name == "origin", !Self.isOwn(value, host: host) {
                return (403, "requests from pages of other sites (by `Origin`) are refused")
            }
        }
        return permission.refusal(host: host, authorization: authorization)
    }

    /// True for the origin of a page of this listener, which is served without TLS.
    private static func isOwn(_ origin: String, host: String?) -> Bool {
        host.map { origin.lowercased() == "http://\($0.lowercased())" } ?? false
    }
}
