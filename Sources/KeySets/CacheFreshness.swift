/// Remaining freshness of an answer by its own fields (RFC 9111 §4.2): `max-age` minus `Age`, if stated.
///
/// `Expires` is ignored. With `no-cache` or `no-store` no freshness is stated. Callers apply their own minimum and
/// maximum.
public enum CacheFreshness {
    /// The time for which the answer stays fresh. Nil if the fields do not state it. A value that is not a number of
    /// seconds is ignored.
    public static func lifetime(cacheControl: [String], age: String?) -> Duration? {
        let directives = cacheControl.flatMap { $0.split(separator: ",") }.map { trimmed($0).lowercased() }
        guard !directives.contains("no-cache"), !directives.contains("no-store") else { return nil }
        guard let maxAge = directives.lazy.compactMap(maxAge).first else { return nil }
        let elapsed = age.flatMap { seconds(trimmed($0[...])) } ?? 0
        return .seconds(max(0, maxAge - elapsed))
    }

    private static func maxAge(_ directive: String) -> Int64? {
        guard directive.hasPrefix("max-age=") else { return nil }
        let value = directive.dropFirst("max-age=".count)
        let isQuoted = value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
        return seconds(isQuoted ? value.dropFirst().dropLast() : value)
    }

    /// Reads delta-seconds (RFC 9111 §1.2.2). A number that is too large is read as 2^31, as the RFC requires. Nil for
    /// any other text.
    public static func seconds(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        let greatest: Int64 = 2_147_483_648
        return min(greatest, Int64(text) ?? greatest)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = text.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return start[..<start.startIndex] }
        return start[...last]
    }
}
