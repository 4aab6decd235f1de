extension String {
    /// The text cut to so many Unicode scalars and without control characters, for terminals and log lines.
    ///
    /// Whoever wrote a document that was fetched chose its names.
    public func printable(upTo limit: Int = 256) -> String {
        let scalars = unicodeScalars.prefix(limit).map {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "\u{FFFD}" : String($0)
        }
        return "\(scalars.joined())\(unicodeScalars.count > limit ? "…" : "")"
    }
}
