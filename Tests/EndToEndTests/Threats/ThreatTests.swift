import Testing

/// The threat cases over real sockets: status, reason, challenge, connection, and requests at the upstream.
@Suite struct ThreatTests {
    static let cases =
        ThreatCases.credentials + ThreatCases.compactForms + ThreatCases.headers + ThreatCases.signatures
        + ThreatCases.json
        + ThreatCases.times + ThreatCases.claims + ThreatCases.scopes + ThreatCases.framing + ThreatCases.requestLines
        + ThreatCases.paths

    /// The results of all cases, which are run once against one gateway.
    private static let run = Task { () -> (results: [String: ThreatLab.Result], written: String) in
        let lab = try await ThreatLab.start()
        let results = try await lab.run(cases)
        let written = lab.served.gateway.standardOutput + lab.served.gateway.standardError
        await lab.stop()
        return (results, written)
    }

    @Test(arguments: cases) func `each threat case has its expected outcome`(_ threat: ThreatCase) async throws {
        let result = try #require(try await Self.run.value.results[threat.name])
        #expect(result.statuses == threat.outcomes.map(\.status), "\(result.response.prefix(600))")
        #expect(result.stayed == threat.stays, "\(result.response.prefix(600))")
        #expect(!result.leaked, "what came behind the last request was taken for another")
        let expected = threat.outcomes.filter { $0.reason == nil }.count + (threat.stays ? 1 : 0)
        #expect(result.reached.count == expected, "\(result.reached.map(\.target))")
        let reasons = result.logLines.map { $0.firstMatch(of: /"reason":"([a-z_]+)"/).map { String($0.output.1) } }
        #expect(reasons == threat.outcomes.map(\.reason), "\(result.logLines)")
        for outcome in threat.outcomes { check(outcome, result) }
    }

    private func check(_ outcome: ThreatOutcome, _ result: ThreatLab.Result) {
        guard let error = outcome.error else { return }
        let challenges = result.response.split(separator: "\r\n").filter {
            $0.lowercased().hasPrefix("www-authenticate: bearer ")
        }
        if error.isEmpty {
            #expect(challenges.contains { !$0.contains("error=") })
        } else {
            #expect(challenges.contains { $0.contains("error=\"\(error)\"") }, "\(challenges)")
        }
        if error == "invalid_token", outcome.reason != "expired" {
            // The answer tells a forger nothing.
            #expect(
                challenges.contains { $0.contains("error_description=\"The access token is not valid for this API\"") })
        }
    }

    @Test func `T427 no log line has any part of any token`() async throws {
        let written = try await Self.run.value.written
        #expect(written.contains("reason"))
        #expect(!written.contains("eyJ"))
        #expect(!written.contains("Bearer "))
    }

    @Test func `every threat case has a distinct number and name`() {
        #expect(Set(Self.cases.map(\.name)).count == Self.cases.count)
        for threat in Self.cases { #expect(threat.name.wholeMatch(of: /T\d{3} .+/) != nil) }
    }
}
