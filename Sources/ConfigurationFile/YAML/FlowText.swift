/// Writes text for a hint as a value within `{ }` or `[ ]`.
enum FlowText {
    /// The text as it would be written, in quotes where a parser would read something else.
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
