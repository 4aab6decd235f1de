import AccessControl
import ConfigurationFile
import RequestAuthorization
import Testing
import TokenVerification
import TransportSecurity

/// Duration of `mode: {observe: …}`, and the warning before its end.
@Suite struct ObserveModeTests {
    /// 2026-12-24T00:00:00Z.
    private static let day = 1_798_070_400.0

    private static func load(_ until: String, rule: String = "authenticated", at now: Double = day - 30 * 86_400)
        -> LoadResult<Configuration>
    {
        let text = """
            issuers: {a: {issuer: https://a.example, token_type: at+jwt}}
            resources: {b: {at: /b, issuers: [a], upstream: http://127.0.0.1:9000, mode: {observe: {until: \(until)}}, rules: {GET /x: \(rule), GET /y: {public: true}}}}
            """
        return Configuration.load(
            bytes: Array(text.utf8), directory: "", environment: [:], checkIdentity: .library,
            at: NumericDate(seconds: now))
    }

    private static func configuration(_ result: LoadResult<Configuration>) throws -> Configuration {
        guard case .success(let configuration, _) = result else {
            throw Refused(problems: result.problems.map(\.message))
        }
        return configuration
    }

    private struct Refused: Error { let problems: [String] }

    @Test(arguments: [
        ("2026-12-24", day), ("2026-12-24T00:00:00Z", day), ("2026-12-24T18:30:00Z", day + 66_600),
        ("2026-12-24T18:30:00+02:00", day + 59_400), ("'2026-12-24'", day),
    ])
    func `a date begins at midnight UTC, and a time of day is kept`(_ until: (text: String, seconds: Double)) throws {
        let resource = try #require(try Self.configuration(Self.load(until.text)).protectedResources.first)
        let mode = EnforcementMode.observe(until: NumericDate(seconds: until.seconds))
        #expect(resource.mode == mode)
        #expect(resource.mode(of: 0) == mode)
        #expect(resource.mode(of: nil) == mode)
    }

    @Test func `a rule's own mode overrides the mode of its resource`() throws {
        let rule = "{all_of: [r], mode: enforce}"
        let configuration = try Self.configuration(Self.load("2026-12-24", rule: rule))
        let resource = try #require(configuration.protectedResources.first)
        #expect(resource.mode(of: 0) == .enforce)
        #expect(resource.mode(of: nil) != .enforce)
        #expect(resource.observedRules(at: NumericDate(seconds: 0)).isEmpty)
        let observed = try #require(try Self.configuration(Self.load("2026-12-24")).protectedResources.first)
        #expect(observed.observedRules(at: NumericDate(seconds: Self.day - 1)).map(\.until.seconds) == [Self.day])
        #expect(observed.observedRules(at: NumericDate(seconds: Self.day)).isEmpty)
    }

    @Test(
        arguments: [
            (-8 * 86_400.0, nil),
            (-7 * 86_400.0 - 1, nil),
            (-7 * 86_400.0, "in 7 days requests that are not permitted will be refused"),
            (-6.5 * 86_400.0, "in 7 days requests that are not permitted will be refused"),
            (-60.0, "in 1 day requests that are not permitted will be refused"),
            (0.0, "this time is over: requests that are not permitted are refused"),
            (1e9, "this time is over: requests that are not permitted are refused"),
        ] as [(Double, String?)])
    func `the end of observe mode is announced seven days before`(_ now: (before: Double, message: String?)) throws {
        let result = Self.load("2026-12-24", at: Self.day + now.before)
        #expect(result.problems.map(\.message) == [now.message].compactMap(\.self))
        #expect(result.problems.allSatisfy { $0.severity == .warning && $0.followsTheClock })
    }
}
