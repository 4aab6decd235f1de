import Testing

@testable import TokenVerification

/// Limits of a token's times, each on both sides.
struct TimeRulesTests {
    private static let now = NumericDate(seconds: 1_800_000_000)
    private static let rules = TimeRules(
        leeway: Leeway(.seconds(60)), maxLifetime: .seconds(3600), maxAuthenticationAge: .seconds(900))

    private static func date(_ offset: Double) -> NumericDate { NumericDate(seconds: now.seconds + offset) }

    @Test(arguments: [(-60.0, true), (-59.9, false), (0, false), (-61, true)])
    func `a token expires at exp plus leeway`(_ offset: Double, _ isExpired: Bool) {
        let rejection = Self.rules.rejection(ofExpiration: Self.date(offset), at: Self.now)
        #expect(rejection == (isExpired ? .expired : nil))
        #expect(Self.rules.leeway.isExpired(Self.date(offset), at: Self.now) == isExpired)
        #expect((Self.rules.leeway.end(of: Self.date(offset)) <= Self.now) == isExpired)
    }

    @Test(
        arguments: [
            (60.0, nil), (60.1, TokenRejection.notYetValid), (-1_800_000_001, .claimInvalid), (301, .claimInvalid),
        ] as [(Double, TokenRejection?)])
    func `the start of a token must be past, allowing for leeway, after 1970 and before its expiry`(
        _ offset: Double, _ expected: TokenRejection?
    ) {
        #expect(Self.rules.rejection(ofStart: Self.date(offset), until: Self.date(300), at: Self.now) == expected)
    }

    @Test func `a start without expiry is accepted, unless the date is out of range`() {
        #expect(Self.rules.rejection(ofStart: Self.now, until: nil, at: Self.now) == nil)
        let late = NumericDate(seconds: NumericDate.latest.seconds + 1)
        #expect(Self.rules.rejection(ofStart: late, until: nil, at: Self.now) == .claimInvalid)
    }

    @Test(
        arguments: [
            (-10.0, 3590.0, nil), (-10, 3590.1, TokenRejection.claimInvalid), (nil, 3600, nil),
            (nil, 3600.1, .claimInvalid),
            (-10, nil, .claimInvalid),
        ] as [(Double?, Double?, TokenRejection?)])
    func `the maximum lifetime counts from iat, or from now`(
        _ start: Double?, _ end: Double?, _ expected: TokenRejection?
    ) {
        let (start, end) = (start.map(Self.date), end.map(Self.date))
        #expect(Self.rules.rejection(ofLifetimeFrom: start, until: end, at: Self.now) == expected)
        let unbounded = TimeRules(leeway: Self.rules.leeway)
        #expect(unbounded.rejection(ofLifetimeFrom: start, until: end, at: Self.now) == nil)
    }

    @Test(
        arguments: [
            (0.0, nil), (60, nil), (60.1, TokenRejection.authTimeInvalid), (-960, nil), (-960.1, .authenticationTooOld),
            (nil, .authTimeInvalid), (-1_800_000_001, .authTimeInvalid), (-.infinity, .authTimeInvalid),
            (.infinity, .authTimeInvalid), (.nan, .authTimeInvalid),
        ] as [(Double?, TokenRejection?)])
    func `a sign-in must not be in the future, nor too long ago`(_ offset: Double?, _ expected: TokenRejection?) {
        let time = offset.map(Self.date)
        #expect(Self.rules.rejection(ofAuthentication: time, at: Self.now) == expected)
        #expect(TimeRules(leeway: Self.rules.leeway).rejection(ofAuthentication: time, at: Self.now) == nil)
        let needed = TimeRules(leeway: Self.rules.leeway, needsAuthenticationTime: true)
        let isTooOld = expected == .authenticationTooOld
        #expect(needed.rejection(ofAuthentication: time, at: Self.now) == (isTooOld ? nil : expected))
    }

    /// Searches for tokens that two policies judge differently try both sides of these limits.
    @Test(arguments: [0, 1, 60, 86_400]) func `time verdicts change at exactly the documented second`(_ span: Int) {
        let (leeway, now) = (Leeway(.seconds(span)), Self.now)
        let second = Duration.seconds(1)
        #expect(leeway.hasCome(leeway.latestStart(at: now), at: now))
        #expect(!leeway.hasCome(leeway.latestStart(at: now) + second, at: now))
        #expect(leeway.isExpired(leeway.latestExpired(at: now), at: now))
        #expect(!leeway.isExpired(leeway.latestExpired(at: now) + second, at: now))
        let earliest = leeway.earliestAuthentication(within: 900, at: now)
        #expect(leeway.isAuthenticated(earliest, within: 900, at: now))
        #expect(!leeway.isAuthenticated(earliest - second, within: 900, at: now))
    }
}
