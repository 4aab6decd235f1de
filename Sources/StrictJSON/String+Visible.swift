extension Unicode.Scalar {
    /// True if the character must be written as its code point where people read untrusted text.
    ///
    /// Control characters and line ends affect terminals and readers of lines. Format characters reverse the direction
    /// of the surrounding text (U+202E) or are invisible (U+200B, U+FEFF), so that a line reads as another one.
    var isWrittenAsNumber: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension String {
    /// The text in one line for terminals and logs. Control, format and line-end characters are replaced by escapes
    /// such as `\u{202e}`.
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
