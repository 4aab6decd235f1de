/// Finds the lines that contain a word in a text that is read part by part.
///
/// Searches by the last byte of the word and skips ahead by what that byte permits (Horspool, 1980). So a long word is
/// found in a large file at the speed of reading it.
public struct LineSearch: Sendable {
    private let word: [UInt8]
    /// Bytes to skip after a byte that is at the end of the word's place.
    private let skips: [Int]
    /// Beginning of a line whose end is not read yet.
    private var rest: [UInt8] = []
    /// True within a line that is too long.
    private var isSkipping = false

    /// Longest line that is searched, in bytes. Longer ones are left out.
    public static let longestLine = 1024 * 1024
    private static let lineFeed = UInt8(ascii: "\n")

    /// - Parameter word: has no line feed. An empty one is in no line.
    public init(for word: [UInt8]) {
        self.word = word
        var skips = [Int](repeating: max(1, word.count), count: 256)
        for (index, byte) in word.dropLast().enumerated() { skips[Int(byte)] = word.count - 1 - index }
        self.skips = skips
    }

    /// Takes the next part of the text. Returns the lines with the word that end in it, without their line feeds.
    public mutating func lines(in part: [UInt8]) -> [[UInt8]] {
        guard let last = part.lastIndex(of: Self.lineFeed) else {
            keep(part[...])
            return []
        }
        let first = isSkipping ? (part.firstIndex(of: Self.lineFeed) ?? last) + 1 : 0
        isSkipping = false
        guard first <= last else {
            keep(part[(last + 1)...])
            return []
        }
        let found = finished(part, first..<last)
        rest = []
        keep(part[(last + 1)...])
        return found
    }

    /// Ends the text. Returns its last line if that has the word and no line feed.
    public mutating func end() -> [[UInt8]] {
        defer { (rest, isSkipping) = ([], false) }
        return lines(in: rest.span)
    }

    /// Lines that end in a range of a part, the first of which may have begun in former parts.
    private func finished(_ part: [UInt8], _ range: Range<Int>) -> [[UInt8]] {
        guard !rest.isEmpty else { return lines(in: part.span.extracting(range)) }
        let whole = rest + part[range]
        return lines(in: whole.span)
    }

    private mutating func keep(_ beginning: ArraySlice<UInt8>) {
        guard !isSkipping else { return }
        if rest.count + beginning.count > Self.longestLine {
            (rest, isSkipping) = ([], true)
        } else {
            rest += beginning
        }
    }

    private func lines(in text: Span<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = 0
        while let found = offset(in: text, from: start) {
            var (begin, end) = (found, found)
            while begin > 0, text[begin - 1] != Self.lineFeed { begin -= 1 }
            while end < text.count, text[end] != Self.lineFeed { end += 1 }
            if end - begin <= Self.longestLine { lines.append((begin..<end).map { text[$0] }) }
            start = end
        }
        return lines
    }

    /// Offset of the word at `start` or after it. Nil if it is not there.
    private func offset(in text: Span<UInt8>, from start: Int) -> Int? {
        guard let last = word.last else { return nil }
        let skips = skips.span
        var end = start + word.count - 1
        while end < text.count {
            let byte = text[end]
            let begin = end - word.count + 1
            if byte == last, word.indices.allSatisfy({ text[begin + $0] == word[$0] }) { return begin }
            end += skips[Int(byte)]
        }
        return nil
    }
}
