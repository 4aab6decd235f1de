/// Writes texts as YAML scalars: plain if every YAML parser reads the same text, otherwise in double quotes.
///
/// Only for texts of this module, which have no control characters. Quotes and backslashes are escaped as in JSON.
enum YAMLScalar {
    static func written(_ text: String) -> String {
        isPlain(text) ? text : quoted(text)
    }

    static func list(_ texts: [String]) -> String {
        "[" + texts.map(written).joined(separator: ", ") + "]"
    }

    /// True if the text can be written without quotes.
    ///
    /// It must consist of letters, digits and a few signs, and start with a letter, a digit or a slash. It must not be
    /// a YAML word for a boolean or null. Digits alone are permitted: where a text is expected, the gateway reads the
    /// characters and not the number.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) || isDigit(first) || first == UInt8(ascii: "/") else {
            return false
        }
        guard !words.contains(text.lowercased()), !text.hasSuffix(":"), !text.hasSuffix(" "), !text.contains(": ")
        else { return false }
        return text.utf8.allSatisfy { byte in isLetter(byte) || isDigit(byte) || "._-/:+@ ".utf8.contains(byte) }
    }

    private static let words: Set = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
