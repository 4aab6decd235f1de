import Testing

@testable import OperatorConsole

/// Widths, bars, times and rows of `bearward top`.
struct TopLayoutTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 2), ("漢字", 4), ("ｆ", 2), ("한", 2), ("😀", 2), ("▁█", 2), ("●–…", 3),
    ])
    func `a text is as wide as a terminal shows it, or less`(text: String, expected: Int) {
        #expect(DisplayWidth.columns(of: text) == expected)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("漢字漢", 6, "漢字漢"),
        ("漢字漢", 5, "漢字…"), ("漢字漢", 4, "漢…"), ("漢字漢", 2, "…"), ("", 0, ""),
    ])
    func `a text that is too wide ends with an ellipsis`(text: String, limit: Int, expected: String) {
        let cut = DisplayWidth.cut(text, to: limit)
        #expect(cut == expected)
        #expect(DisplayWidth.columns(of: cut) <= limit)
    }

    @Test func `bars show values beside the greatest one`() {
        #expect(SparkLine.text([0, 1, 2, 3, 4, 5, 6, 7], columns: 80) == "▁▂▃▄▅▆▇█")
        #expect(SparkLine.text([1, nil, 0.5, .nan, 0], columns: 80) == "█ ▅ ▁")
        #expect(SparkLine.text([0, 0], columns: 80) == "▁▁")
        #expect(SparkLine.text([9, 9, 1, 2], columns: 2) == "▅█")
        #expect(SparkLine.text([1], columns: 0) == "" && SparkLine.text([], columns: 9) == "")
        #expect(SparkLine.text([-1, .greatestFiniteMagnitude], columns: 9) == "▁█")
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1970-03-01T00:00:00Z", 5_097_600), ("2000-02-29T12:00:00Z", 951_825_600),
        ("2026-11-01T02:26:40Z", 1_793_500_000), ("2026-11-01T02:26:40.123Z", 1_793_500_000),
        ("2100-03-01T00:00:00Z", 4_107_542_400), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
    func `a written time is read`(text: String, seconds: Int64) {
        #expect(WrittenTime(text)?.seconds == seconds)
        #expect(WrittenTime.clock(text) == text.dropFirst(11).prefix(8))
    }

    @Test(arguments: [
        "", "2026-11-01", "2026-11-01T02:26:40", "2026-11-01T02:26:40+01:00", "2026-13-01T02:26:40Z",
        "2026-00-01T02:26:40Z", "2026-11-00T02:26:40Z", "2026-11-01T02:26:4 Z", "2026/11/01T02:26:40Z",
        "+026-11-01T02:26:40Z",
    ])
    func `a time that is written in another way is left as it is`(text: String) {
        #expect(WrittenTime(text) == nil)
        #expect(WrittenTime.clock(text) == text)
    }

    @Test func `a time is ahead or past`() throws {
        let now = try #require(WrittenTime("2026-11-01T02:26:40Z"))
        #expect(try #require(WrittenTime("2026-11-01T02:28:10Z")).words(since: now) == "in 1 min")
        #expect(try #require(WrittenTime("2026-10-31T00:00:00Z")).words(since: now) == "1 d 2 h ago")
        #expect(now.words(since: now) == "in 0 s")
    }

    @Test(arguments: [
        ([3, 3, 3], 100, [3, 3, 3]), ([3, 3, 3], 12, [3, 3, 3]), ([3, 3, 3], 10, [3, 2, 2]),
        ([3, 3, 3], 6, [1, 1, 1]),
        ([3, 3, 3], 5, [2, 1, nil]), ([3, 3, 3], 1, [nil, nil, nil]), ([9, 1, 0], 9, [5, 1, 0]),
        ([3, 3, 3], -4, [nil, nil, nil]), ([], 4, []),
    ])
    func `each panel gets a row before another one gets a second`(wanted: [Int], lines: Int, expected: [Int?]) {
        let rows = TopLayout.rows(wanted: wanted, lines: lines)
        #expect(rows == expected)
        #expect(rows.compactMap(\.self).reduce(0) { $0 + $1 + 1 } <= max(0, lines))
    }
}
