import ProxySettings
import Testing

@testable import ReverseProxy

/// Value of `upstream_error` in an access log line. Nil if the line has none.
func upstreamError(in line: String) -> String? {
    line.firstMatch(of: /"upstream_error":"([^"]*)"/).map { String($0.output.1) }
}

extension SeriesSum {
    func count(_ outcome: UpstreamOutcome) -> UInt64 { counter(outcome.rawValue) }
}

/// Expects exactly these counts of outcomes over all targets.
func expectOutcomes(
    _ expected: [UpstreamOutcome: UInt64], _ gateway: GatewayFixture, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    var found: [UpstreamOutcome: UInt64] = [:]
    _ = try await holds {
        found = [:]
        for sum in gateway.gateway.state.attempts.sums.all.values {
            for outcome in UpstreamOutcome.allCases where sum.count(outcome) > 0 {
                found[outcome, default: 0] += sum.count(outcome)
            }
        }
        return found == expected
    }
    #expect(found == expected, sourceLocation: sourceLocation)
}
