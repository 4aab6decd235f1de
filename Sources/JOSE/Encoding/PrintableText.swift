extension String {
    /// The text for terminals and log lines: cut to `limit` Unicode scalars, with control characters replaced.
    ///
    /// Names in fetched documents are untrusted input.
    public func printable(upTo limit: Int = 256) -> String {
        let scalars = unicodeScalars.prefix(limit).map {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "\u{FFFD}" : String($0)
        }
        return "\(scalars.joined())\(unicodeScalars.count > limit ? "…" : "")"
    }
}
