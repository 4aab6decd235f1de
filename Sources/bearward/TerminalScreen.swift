import Files
import OperatorConsole

/// The whole terminal that standard output is, in its alternate screen: what was there before comes back.
///
/// The sequences are those of xterm, which all terminals in use have.
struct TerminalScreen {
    /// Alternate screen, no cursor, and no line that continues on the next one.
    private static let beginning = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let end = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    func enter() throws { try StandardStreams.data(Self.beginning) }

    /// Restores the terminal. If that fails there is no terminal any more.
    func leave() { try? OpenFile.standardOutput.write(Self.end.utf8) }

    /// Draws a screen over the one before, line by line, so that nothing flickers.
    func draw(_ screen: TopScreen) throws {
        let size = TerminalSize.ofStandardOutput
        let lines = screen.lines(columns: size.columns, rows: size.rows)
        // A line is erased before it is written: after its last column the cursor is still on it.
        let text = lines.map { "\u{1B}[K" + StandardStreams.paint($0) }.joined(separator: "\r\n")
        try StandardStreams.data("\u{1B}[H" + text + (lines.count < size.rows ? "\r\n\u{1B}[J" : ""))
    }
}

extension TerminalPaint {
    /// The line in the colour of its style.
    func callAsFunction(_ line: TopLine) -> String {
        switch line.style {
        case .plain: line.text
        case .title: self(line.text, .bold)
        case .alarm: self(line.text, .red)
        case .dim: self(line.text, .dim)
        }
    }
}
