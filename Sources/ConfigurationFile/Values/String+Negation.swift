extension String {
    /// True if the text is a word that means "none" in files, such as `off` or `none`.
    var isNegation: Bool { Self.negations.contains(lowercased()) }

    private static let negations: Set<String> = ["false", "off", "no", "none", "never", "disabled", "null", "~"]
}
