import ByteWords
import TestSupport
import Testing

/// Comparisons of eight bytes at once, beside those of each byte.
struct ByteWordTests {
    /// Indices of the marked bytes, in their order.
    private func indices(_ marks: ByteMarks) -> [Int] {
        var (rest, indices) = (marks, [Int]())
        while !rest.isEmpty {
            indices.append(rest.first)
            rest = rest.withoutFirst
        }
        return indices
    }

    /// The word at an offset. Nil if the text has too few bytes.
    private func word(_ bytes: [UInt8], at offset: Int = 0) -> ByteWord? { ByteWord(bytes.span, at: offset) }

    private func filled(_ bytes: [UInt8], at offset: Int, filler: UInt8) -> [UInt8] {
        let word = ByteWord(bytes.span, at: offset, filler: filler)
        return (0..<8).map { word[$0] }
    }

    private func endOfLetters(_ bytes: [UInt8], from start: Int) -> Int {
        bytes.span.firstOffset(from: start, filler: UInt8(ascii: "a")) { ~$0.letters }
    }

    private func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool { one.span.equals(other.span) }

    /// Each byte among neighbours that would borrow from it or carry into it.
    @Test func `each of 256 bytes is compared as it is alone`() throws {
        let ranges: [ClosedRange<UInt8>] = [0x20...0x7E, 0x00...0x00, 0x00...0x7F, 0x7F...0x7F, 0x2D...0x39]
        var different: [String] = []
        for byte in UInt8.min...UInt8.max {
            for neighbour in [UInt8(0), 1, 0x7F, 0x80, 0xFF, byte &- 1, byte &+ 1] {
                for place in [0, 3, 7] {
                    var bytes = [UInt8](repeating: neighbour, count: 8)
                    bytes[place] = byte
                    let word = try #require(self.word(bytes))
                    func compare(_ marks: ByteMarks, _ name: String, _ isMarked: (UInt8) -> Bool) {
                        guard indices(marks) != bytes.indices.filter({ isMarked(bytes[$0]) }) else { return }
                        different.append("\(name) of \(bytes)")
                    }
                    for range in ranges {
                        compare(word.within(range), "within \(range)") { range.contains($0) }
                        compare(word.outside(range), "outside \(range)") { !range.contains($0) }
                    }
                    for other in [byte, byte ^ 0x80, byte ^ 1] {
                        compare(word.equal(to: other), "equal to \(other)") { $0 == other }
                    }
                    compare(word.letters, "letters") { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
                    compare(word.nonASCII, "non-ASCII") { $0 >= 0x80 }
                    if word[place] != byte { different.append("byte \(place) of \(bytes)") }
                }
            }
        }
        #expect(different == [])
    }

    @Test func `marks have others, unions and intersections`() throws {
        let text = Array("ab.cd.e1".utf8)
        let word = try #require(self.word(text))
        let dots = word.equal(to: UInt8(ascii: "."))
        #expect(indices(dots) == [2, 5] && dots.count == 2)
        #expect(indices(~dots) == [0, 1, 3, 4, 6, 7])
        #expect(indices(~word.letters & ~dots) == [7])
        #expect(indices(word.letters | dots) == [0, 1, 2, 3, 4, 5, 6])
        #expect((word.letters & dots).isEmpty && (word.letters & dots).first == 8)
    }

    @Test func `a word has the bytes from its offset on, and fillers behind the text`() {
        for count in 0...20 {
            let text = (0..<count).map { UInt8($0 + 1) }
            for offset in 0...count {
                let expected = (0..<8).map { offset + $0 < count ? text[offset + $0] : 0xEE }
                #expect(filled(text, at: offset, filler: 0xEE) == expected)
                let whole = word(text, at: offset).map { word in (0..<8).map { word[$0] } }
                #expect(whole == (count - offset < 8 ? nil : expected))
            }
        }
        let text = [UInt8](repeating: 1, count: 16)
        for offset in [-1, -8, 9, 16, 17, Int.max, Int.min] { #expect(word(text, at: offset) == nil) }
        #expect(filled(text, at: 17, filler: 0x41) == [UInt8](repeating: 0x41, count: 8))
    }

    @Test func `the first marked byte is found wherever it is`() {
        var different: [String] = []
        for count in 0...50 {
            let text = [UInt8](repeating: UInt8(ascii: "a"), count: count)
            for start in [0, 1, 7, 8, 9, 31, 32, 33, count - 8, count - 1, count] where (0...count).contains(start) {
                // What is before the start is not asked about.
                let begun = [UInt8](repeating: 0, count: start) + text.dropFirst(start)
                if endOfLetters(begun, from: start) != count { different.append("\(count) from \(start)") }
                for end in start..<count {
                    var ended = begun
                    ended[end] = UInt8(ascii: "1")
                    if endOfLetters(ended, from: start) != end { different.append("\(count) from \(start) to \(end)") }
                }
            }
        }
        #expect(different == [])
    }

    @Test func `texts are equal if all their bytes are`() {
        var generator = SeededGenerator(seed: 8)
        for count in 0...40 {
            let text = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(areEqual(text, text.map { $0 }))
            #expect(!areEqual(text, text + [0]) && !areEqual(text + [0], text))
            for index in text.indices {
                var other = text
                other[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                #expect(!areEqual(text, other), "\(count) \(index)")
            }
        }
    }
}
