/// Colours of text for a person at a terminal. Leaves text as it is where nobody may be looking.
public struct TerminalPaint: Sendable {
    /// Style of text, as its parameter of the escape sequence "Select Graphic Rendition" (ECMA-48 §8.3.117).
    public enum Style: String, Sendable {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    private let isOn: Bool

    /// - Parameter isOn: true if the text goes to a terminal that takes colours.
    public init(isOn: Bool) {
        self.isOn = isOn
    }

    /// Text without colours, for files and pipes.
    public static let plain = TerminalPaint(isOn: false)

    /// The text in a style, with the terminal's usual style after it.
    public func callAsFunction(_ text: String, _ style: Style) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
