/// Writes text as a YAML value inside `{ }` or `[ ]`, for hints.
enum FlowText {
    /// Text in the form for YAML, with quotes where a parser would read something different without them.
    static func of(_ text: String) -> String {
        let written = text.replacing("$", with: "$$")
        guard needsQuotes(written) else { return written }
        return "\"\(written.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    private static func needsQuotes(_ text: String) -> Bool {
        guard let first = text.first, let last = text.last else { return true }
        return "-?:,[]{}#&*!|>'\"%@` ".contains(first) || ": ".contains(last)
            || text.contains { ",[]{}\"".contains($0) }
            || text.contains(": ") || text.contains(" #")
    }
}
