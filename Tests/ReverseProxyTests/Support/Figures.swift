import ProxySettings
import Testing

@testable import ReverseProxy

/// The member `upstream_error` of a line of the access log; nil without one.
func upstreamError(in line: String) -> String? {
    line.firstMatch(of: /"upstream_error":"([^"]*)"/).map { String($0.output.1) }
}

/// Expects that attempts at all targets ended so and not otherwise.
func expectOutcomes(
    _ expected: [UpstreamOutcome: UInt64], _ gateway: GatewayFixture, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    var found: [UpstreamOutcome: UInt64] = [:]
    _ = try await holds {
        found = [:]
        for figures in gateway.gateway.metrics.upstreams.values {
            for outcome in UpstreamOutcome.allCases where figures.count(outcome) > 0 {
                found[outcome, default: 0] += figures.count(outcome)
            }
        }
        return found == expected
    }
    #expect(found == expected, sourceLocation: sourceLocation)
}
