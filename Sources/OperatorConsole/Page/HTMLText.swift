import StrictJSON

/// Texts in the content and the quoted attributes of an HTML document.
enum HTMLText {
    /// Most characters of a text that are shown.
    static let longest = 200

    /// The text with every character escaped that could end it. Characters that are invisible or change the direction
    /// of the text are written as their numbers, and long texts are cut.
    static func escaped(_ text: String) -> String {
        let shown = text.unicodeScalars.prefix(longest)
        var escaped = ""
        for character in String(String.UnicodeScalarView(shown)).visible.unicodeScalars {
            switch character {
            case "&": escaped.append("&amp;")
            case "<": escaped.append("&lt;")
            case ">": escaped.append("&gt;")
            case "\"": escaped.append("&quot;")
            case "'": escaped.append("&#39;")
            default: escaped.unicodeScalars.append(character)
            }
        }
        return shown.endIndex == text.unicodeScalars.endIndex ? escaped : escaped + "…"
    }
}
