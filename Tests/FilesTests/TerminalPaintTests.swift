import Files
import Testing

struct TerminalPaintTests {
    @Test func `styled text is followed by a reset to the default style`() {
        #expect(TerminalPaint(isOn: true)("403", .red) == "\u{1B}[31m403\u{1B}[0m")
    }

    @Test func `text without colours stays unchanged, and so does empty text`() {
        #expect(TerminalPaint.plain("403", .red) == "403")
        #expect(TerminalPaint(isOn: true)("", .dim).isEmpty)
    }
}
