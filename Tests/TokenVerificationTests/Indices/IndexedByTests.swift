import Testing
import TokenVerification

private struct LetterIndex: TypedIndex {
    let rawValue: Int

    init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}

@Suite struct IndexedByTests {
    @Test(arguments: [(0, "a"), (1, "b"), (2, nil), (-1, nil), (.max, nil), (.min, nil)] as [(Int, String?)])
    func `an index beyond the elements finds nothing`(index: Int, element: String?) {
        let letters: IndexedBy<LetterIndex, String> = ["a", "b"]
        #expect(letters[LetterIndex(index)] == element)
    }

    @Test func `every element is found by its index`() {
        let letters = IndexedBy<LetterIndex, String>(["a", "b", "c"])
        #expect(letters.indexed.map(\.index) == [0, 1, 2])
        #expect(letters.indexed.allSatisfy { letters[$0.index] == $0.element })
        #expect(letters.mapped(\.utf8.count) == [1, 1, 1])
        #expect(letters.firstIndex { $0 > "a" } == 1)
        #expect(letters.firstIndex { $0 > "c" } == nil)
    }

    @Test func `the next index is that of the next appended element`() {
        var letters: IndexedBy<LetterIndex, String> = ["a"]
        let index = letters.nextIndex
        #expect(letters[index] == nil)
        letters.append("b")
        #expect(letters[index] == "b")
    }

    @Test(
        arguments: [(0, ["b"], "a"), (1, ["a"], "b"), (2, ["a", "b"], nil), (-1, ["a", "b"], nil)]
            as [(Int, [String], String?)])
    func `an element is removed or changed only if the index exists`(index: Int, left: [String], removed: String?) {
        var letters: IndexedBy<LetterIndex, String> = ["a", "b"]
        letters.update(LetterIndex(index)) { $0 += "!" }
        #expect(letters.remove(at: LetterIndex(index)) == removed.map { $0 + "!" })
        #expect(Array(letters) == left)
    }
}
