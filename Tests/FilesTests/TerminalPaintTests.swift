import Files
import Testing

struct TerminalPaintTests {
    @Test func `text in a style is followed by the usual style`() {
        #expect(TerminalPaint(isOn: true)("403", .red) == "\u{1B}[31m403\u{1B}[0m")
    }

    @Test func `text without colours, and no text, stay as they are`() {
        #expect(TerminalPaint.plain("403", .red) == "403")
        #expect(TerminalPaint(isOn: true)("", .dim).isEmpty)
    }
}
