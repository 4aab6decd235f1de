/// Time for which a response is fresh (RFC 9111 §4.2): `max-age` less `Age`, or nothing.
///
/// `no-cache`, `no-store` and `Expires` are ignored: callers apply their own minimum and maximum.
public enum CacheFreshness {
    /// The time left; nil if the fields do not say. What is not a number of seconds is taken as not said.
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

    /// Delta-seconds (RFC 9111 §1.2.2): too many for an integer are as good as the most it says they are.
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
