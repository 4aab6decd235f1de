import Testing

@testable import OperatorConsole

struct ShownNumberTests {
    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (48_213, "48,213"), (1_234_567, "1,234,567")])
    func `a count has a comma between thousands`(count: UInt64, text: String) {
        #expect(ShownNumber.count(count) == text)
    }

    @Test(arguments: [(0, "0.0"), (17.84, "17.8"), (99.96, "100.0"), (1_204.4, "1,204"), (.nan, "–"), (-1, "–")])
    func `a rate has one decimal place below 100`(rate: Double, text: String) {
        #expect(ShownNumber.rate(rate) == text)
    }

    @Test func `a duration is in milliseconds up to a second`() {
        #expect(ShownNumber.duration(nil) == "–")
        #expect(ShownNumber.duration(0.0005) == "0.5 ms")
        #expect(ShownNumber.duration(0.0414) == "41 ms")
        #expect(ShownNumber.duration(1.94) == "1.9 s")
        #expect(ShownNumber.duration(.infinity) == "–")
    }

    @Test(arguments: [
        (0, "0 s"), (40, "40 s"), (90, "1 min"), (3_600, "1 h"), (7_300, "2 h 1 min"), (274_460, "3 d 4 h"),
        (86_400, "1 d"), (-5, "0 s"),
    ])
    func `a time span is in its greatest units`(seconds: Int, text: String) {
        #expect(ShownNumber.span(.seconds(seconds)) == text)
    }
}
