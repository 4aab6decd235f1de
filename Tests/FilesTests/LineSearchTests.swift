import Files
import TestSupport
import Testing

struct LineSearchTests {
    private func lines(_ text: [UInt8], with word: [UInt8], parts: [Int]) -> [[UInt8]] {
        var (search, found, offset) = (LineSearch(for: word), [[UInt8]](), 0)
        for count in parts where offset < text.count {
            let end = min(text.count, offset + count)
            found += search.lines(in: Array(text[offset..<end]))
            offset = end
        }
        if offset < text.count { found += search.lines(in: Array(text[offset...])) }
        return found + search.end()
    }

    @Test func `lines are found as by comparing everywhere, whatever the parts are`() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<3_000 {
            let letters = generator.pick([Array("ab\n".utf8), Array("abcdef\n\n".utf8)])
            let count = Int.random(in: 0...80, using: &generator)
            let text = (0..<count).map { _ in generator.pick(letters) }
            let length = Int.random(in: 1...5, using: &generator)
            let word = (0..<length).map { _ in generator.pick(letters.filter { $0 != 10 }) }
            let parts = (0..<100).map { _ in Int.random(in: 0...20, using: &generator) }
            let naive = text.split(separator: 10).map(Array.init).filter { line in
                line.indices.contains { line[$0...].starts(with: word) }
            }
            #expect(lines(text, with: word, parts: parts) == naive)
        }
    }

    @Test func `a line of the longest size is found, and a longer one is left out`() {
        let word = Array("word".utf8)
        for (length, isFound) in [(LineSearch.longestLine, true), (LineSearch.longestLine + 1, false)] {
            let line = [UInt8](repeating: 97, count: length - word.count) + word
            let text = line + [10] + word + [10]
            for parts in [[], [7], [1000, LineSearch.longestLine], Array(repeating: 64 * 1024, count: 20)] {
                #expect(lines(text, with: word, parts: parts) == (isFound ? [line, word] : [word]), "\(parts.count)")
            }
        }
    }

    @Test func `an empty word is in no line`() {
        #expect(lines(Array("a\nb".utf8), with: [], parts: []).isEmpty)
    }
}
