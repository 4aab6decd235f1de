/// Markdown with its prose filled to 120 columns. Tables, headings, code blocks and HTML comments stay as they are.
struct FilledText {
    private static let width = 120

    private var lines: [String] = []
    /// Words of the paragraph or list item that is being read. A code span is one word.
    private var words: [String] = []
    private var isInFence = false

    static func fill(_ text: String) -> String {
        var filled = FilledText()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { filled.take(line) }
        filled.endParagraph()
        return filled.lines.joined(separator: "\n")
    }

    private mutating func take(_ line: Substring) {
        let isFence = line.hasPrefix("```")
        if isFence { isInFence.toggle() }
        guard !isFence, !isInFence, !line.isEmpty, !["|", "#", "<!--"].contains(where: line.hasPrefix) else {
            endParagraph()
            lines.append(String(line))
            return
        }
        if Self.isItem(line) { endParagraph() }
        words += Self.words(of: line)
    }

    private mutating func endParagraph() {
        guard let first = words.first else { return }
        let indentation = Self.isItem(first + " ") ? String(repeating: " ", count: first.count + 1) : ""
        var line = first
        for word in words.dropFirst() {
            // `.ci/words` reports the wide line.
            if line.count + 1 + word.count <= Self.width || Self.beginsBlock(word) {
                line += " " + word
            } else {
                lines.append(line)
                line = indentation + word
            }
        }
        lines.append(line)
        words = []
    }

    /// True if the text begins with the marker of a list item.
    private static func isItem(_ text: some StringProtocol) -> Bool { text.hasPrefix("* ") || text.hasPrefix("- ") }

    /// True if a line that begins with this word is another block than the paragraph before it.
    private static func beginsBlock(_ word: String) -> Bool { word.wholeMatch(of: /[-*+>|]|#+|1[.)]/) != nil }

    private static func words(of line: Substring) -> [String] {
        var (words, isInCode) = ([""], false)
        for character in line {
            if character == "`" { isInCode.toggle() }
            if character == " ", !isInCode {
                words.append("")
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words.filter { !$0.isEmpty }
    }
}
