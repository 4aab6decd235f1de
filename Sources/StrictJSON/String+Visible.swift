extension Unicode.Scalar {
    /// Whether the character is written as its number wherever people read what others wrote.
    ///
    /// Controls and ends of lines act on terminals and on readers of lines. Format characters turn the direction of the
    /// text around them (U+202E), or are not seen at all (U+200B, U+FEFF), so that a line reads as another one.
    var isWrittenAsNumber: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension String {
    /// The text in one line for terminals and logs, with `\u{202e}` for each character that is not to be written as it
    /// is.
    public var visible: String {
        unicodeScalars.reduce(into: "") { line, scalar in
            if scalar.isWrittenAsNumber {
                line.append("\\u{\(String(scalar.value, radix: 16))}")
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
    }
}
