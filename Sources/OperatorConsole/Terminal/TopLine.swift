/// Line of `bearward top`, without characters that act on a terminal.
public struct TopLine: Sendable, Hashable {
    public enum Style: Sendable, Hashable {
        case plain
        /// Headings of a panel.
        case title
        /// State that an operator should look at. The text says so too.
        case alarm
        case dim
    }

    public let text: String
    public let style: Style

    init(_ text: String, _ style: Style = .plain) {
        (self.text, self.style) = (text, style)
    }
}
