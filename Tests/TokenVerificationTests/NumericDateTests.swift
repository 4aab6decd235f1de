import Testing
import TokenVerification

@Suite struct NumericDateTests {
    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00Z"), (1_790_000_000, "2026-09-21T14:13:20Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"), (253_402_300_799, "9999-12-31T23:59:59Z"), (2_147_483_648, "2038-01-19T03:14:08Z"),
        (1.9, "1970-01-01T00:00:01Z"),
    ])
    func `a date reads as RFC 3339`(_ seconds: Double, _ expected: String) {
        #expect(NumericDate(seconds: seconds).description == expected)
    }
}
