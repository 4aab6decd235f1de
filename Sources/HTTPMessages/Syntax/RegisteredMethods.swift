/// The registered methods: one closed table, all of it in upper case.
///
/// Source: IANA, "Hypertext Transfer Protocol (HTTP) Method Registry", <https://www.iana.org/assignments/http-methods>.
/// WebDAV's methods and QUERY are among them. Its entry `*` is reserved so that no method has that name (RFC 9110
/// §18.2), and is left out.
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

    /// The methods in ascending order; for who reads a file, not a request.
    public static let names: [String] = table.map(\.description)

    /// Whether a method is one of these but for the case of its letters.
    ///
    /// Methods are case-sensitive (RFC 9110 §9.1), so `get` is no GET; a lax server takes it for one, and it was not
    /// judged as one.
    static func resemble(_ method: Span<UInt8>) -> Bool {
        guard holdsLowerCase(method) else { return false }
        return table.contains { name in name.withUTF8Buffer { unsafe method.equals($0.span, ignoringCase: ()) } }
    }

    private static func holdsLowerCase(_ method: Span<UInt8>) -> Bool {
        for index in method.indices where method[index] &- 0x61 < 26 { return true }
        return false
    }
}
