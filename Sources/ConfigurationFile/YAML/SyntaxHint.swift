/// Guesses a hint for text that is not valid YAML from the lines of the error.
///
/// The most common cause is a reserved character of YAML at the beginning of a value.
enum SyntaxHint {
    static func hint(problem: String, lines: [String]) -> String? {
        if lines.contains(where: hasReferenceInFlow) {
            return "quote a value with `${…}` inside `{ }` or `[ ]`: \"${NAME}\""
        }
        if lines.contains(where: hasBareAddress) {
            return "quote an IPv6 address in brackets: \"[::1]:8080\""
        }
        if lines.contains(where: hasBarePort) {
            return "write a host before the port, such as `0.0.0.0:80`"
        }
        if problem.contains("mapping values are not allowed") {
            return "quote a value that holds a colon and a space, and indent keys alike"
        }
        if lines.contains(where: { $0.contains("\t") }),
            problem.contains("cannot start any token") || problem.contains("tab character")
        {
            return "indent with spaces, not with tabs"
        }
        if problem.contains("expected ',' or") || problem.contains("end of stream") {
            return "close what was opened there"
        }
        if lines.contains(where: beginsWithReserved) {
            return "quote a value that begins with `{`, `[`, `%`, `@` or a backquote: \"{name}\""
        }
        return nil
    }

    private static func hasReferenceInFlow(_ line: String) -> Bool {
        guard let reference = line.firstRange(of: "${") else { return false }
        return line[..<reference.lowerBound].contains { $0 == "{" || $0 == "[" }
    }

    private static func hasBareAddress(_ line: String) -> Bool {
        for bracket in line.indices where line[bracket] == "[" {
            let inside = line[line.index(after: bracket)...].prefix { $0.isHexDigit || $0 == ":" || $0 == "." }
            if inside.count(where: { $0 == ":" }) > 1 { return true }
        }
        return false
    }

    /// True if a value is only a colon and a port, such as `:80`.
    private static func hasBarePort(_ line: String) -> Bool {
        for colon in line.indices where line[colon] == ":" {
            let after = line[line.index(after: colon)...]
            let before = line[..<colon]
            guard let digit = after.first, ("0"..."9").contains(digit), let last = before.last(where: { $0 != " " })
            else { continue }
            if "[{,".contains(last) || last == ":" && before.last == " " { return true }
        }
        return false
    }

    private static func beginsWithReserved(_ line: String) -> Bool {
        let start = line.drop { $0 == " " || $0 == "-" }
        let value = start.firstRange(of: ": ").map { start[$0.upperBound...] } ?? start
        return value.drop { $0 == " " }.first.map { "{[%@`".contains($0) } ?? false
    }
}
