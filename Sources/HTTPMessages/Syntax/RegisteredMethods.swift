/// The registered HTTP methods, all in upper case.
///
/// Source: IANA, "Hypertext Transfer Protocol (HTTP) Method Registry", <https://www.iana.org/assignments/http-methods>.
/// WebDAV's methods and QUERY are among them. The entry `*` is left out: it is only reserved so that no method has that
/// name (RFC 9110 §18.2).
public enum RegisteredMethods {
    private static let table: [StaticString] = [
        "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "CONNECT", "COPY", "DELETE", "GET", "HEAD", "LABEL",
        "LINK", "LOCK",
        "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "OPTIONS", "ORDERPATCH",
        "PATCH", "POST",
        "PRI", "PROPFIND", "PROPPATCH", "PUT", "QUERY", "REBIND", "REPORT", "SEARCH", "TRACE", "UNBIND", "UNCHECKOUT",
        "UNLINK", "UNLOCK",
        "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
    ]

    /// The methods in ascending order, for reading configuration files, not requests.
    public static let names: [String] = table.map(\.description)

    /// True if a method is a registered one.
    public static func contains(_ method: Span<UInt8>) -> Bool {
        // The usual ones first.
        method.equals("GET") || method.equals("POST") || table.contains { method.equals($0) }
    }

    /// True if a method differs from a registered one only in the case of its letters.
    ///
    /// Methods are case-sensitive (RFC 9110 §9.1), so `get` is not GET. A lax server would treat it as GET, although it
    /// was not authorised as GET.
    static func resemble(_ method: Span<UInt8>) -> Bool {
        guard holdsLowerCase(method) else { return false }
        return table.contains { name in name.withUTF8Buffer { unsafe method.equalsIgnoringCase($0.span) } }
    }

    private static func holdsLowerCase(_ method: Span<UInt8>) -> Bool {
        for index in method.indices where method[index] &- 0x61 < 26 { return true }
        return false
    }
}
