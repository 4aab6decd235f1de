import Testing
import TokenVerification

@Suite struct NumericDateTests {
    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00Z"), (1_790_000_000, "2026-09-21T14:13:20Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        (2_147_483_648, "2038-01-19T03:14:08Z"),
        (1.9, "1970-01-01T00:00:01Z"), (-0.5, "1969-12-31T23:59:59Z"), (-86_400, "1969-12-31T00:00:00Z"),
        (-86_401, "1969-12-30T23:59:59Z"),
        (-62_167_219_200, "0000-01-01T00:00:00Z"), (-62_167_219_201, "00-1-12-31T23:59:59Z"),
        (253_402_300_800, "253402300800.0"),
    ])
    func `a date is written as in RFC 3339`(_ seconds: Double, _ expected: String) {
        #expect(NumericDate(seconds: seconds).description == expected)
    }

    @Test(arguments: [
        (0.0, 0.0), (-0.5, 0), (-.infinity, 0), (1_790_000_000.5, 1_790_000_000.5), (253_402_300_799, 253_402_300_799),
        (253_402_300_800, 253_402_300_799), (9.3e18, 253_402_300_799), (.infinity, 253_402_300_799),
    ])
    func `a clock returns a date between the years 1970 and 9999, whatever it is set to`(
        _ shown: Double, _ seconds: Double
    ) {
        #expect(NumericDate(clock: shown).seconds == seconds)
    }

    @Test func `plausible dates begin in November 2026 and end after 2261`() {
        let earliest = NumericDate.plausible.lowerBound, end = NumericDate.plausible.upperBound
        #expect(earliest.description == "2026-11-01T00:00:00Z")
        #expect(end.description == "2262-01-01T00:00:00Z")
        #expect(NumericDate.plausible.contains(earliest))
        #expect(!NumericDate.plausible.contains(end))
    }
}
