extension String {
    /// Whether it is a word by which files say that there is none of something.
    var isNegation: Bool { Self.negations.contains(lowercased()) }

    private static let negations: Set<String> = ["false", "off", "no", "none", "never", "disabled", "null", "~"]
}
