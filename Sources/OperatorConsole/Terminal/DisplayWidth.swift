/// Columns of a terminal that texts take up.
///
/// Each scalar counts as one column at least, also those that combine with others. So no terminal needs more columns
/// than are counted, except for scripts whose letters it draws wider.
enum DisplayWidth {
    /// Blocks of scalars that are two columns wide (Unicode Standard Annex #11), without those that are shown as emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18D08, 0x1AFF0...0x1B2FB, 0x1D300...0x1D376, 0x1F000...0x1F02F, 0x1F0A0...0x1FAFF,
        0x20000...0x3FFFD,
    ]

    static func columns(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 &+ columns(of: $1) }
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        guard scalar.value >= 0x1100 else { return 1 }
        return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The text if it fits, otherwise its beginning and an ellipsis.
    static func cut(_ text: String, to limit: Int) -> String {
        guard columns(of: text) > limit else { return text }
        guard limit > 0 else { return "" }
        var kept = String.UnicodeScalarView()
        var used = 1
        for scalar in text.unicodeScalars {
            used &+= columns(of: scalar)
            guard used <= limit else { break }
            kept.append(scalar)
        }
        return String(kept) + "…"
    }

    /// The text with spaces up to a width.
    ///
    /// - Parameter isNumber: true if the spaces come first.
    static func padded(_ text: String, to width: Int, isNumber: Bool) -> String {
        let spaces = String(repeating: " ", count: max(0, width &- columns(of: text)))
        return isNumber ? spaces + text : text + spaces
    }
}
