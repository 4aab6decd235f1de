import AccessControl
import ProxySettings
import RequestAuthorization
import Synchronization
import TestSupport
import Testing
import TokenVerification

@testable import ReverseProxy

/// A client's own `Authorization` beside a token header: what the upstream gets, and what the log reports.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayPassedAuthorizationTests {
    private static let token = TestToken.good.with("iss", #""https://idp.example""#).with("exp", "4102444800")
        .signed(by: TestKeys.rsa)
    private static let assertion = "X-Assertion: \(token)"
    private static let basic = "Authorization: Basic dTpw"

    /// The answers to requests with these fields, of an upstream that echoes, and the log lines.
    private static func answers(
        _ requests: [(path: String, fields: [String])], mode: EnforcementMode = .enforce
    ) async throws -> (answers: [String], lines: [String]) {
        let settings = GatewaySettings(keys: TestKeys.set, passesAuthorization: true, mode: mode)
        let found = Mutex<(answers: [String], lines: [String])>(([], []))
        try await withGateway(settings) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            for (path, fields) in requests {
                let client = try await gateway.connect()
                let lines = (["GET \(path) HTTP/1.1", "Host: a"] + fields + ["Connection: close"])
                client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
                let answer = try await client.receiveToEnd()
                found.withLock { $0.answers.append(answer) }
            }
            let lines = try await gateway.logLines(requests.count)
            found.withLock { $0.lines = lines }
        }
        return found.withLock { $0 }
    }

    @Test func `the upstream gets Authorization as it came, and no token`() async throws {
        let (answers, _) = try await Self.answers([
            ("/private/x", [Self.assertion, Self.basic]), ("/open", [Self.basic]),
            ("/open", ["authorization:Digest a=\"b\""]), ("/private/x", [Self.assertion]),
        ])
        #expect(answers.allSatisfy { firstLine($0).hasPrefix("HTTP/1.1 200") }, "\(answers)")
        #expect(answers.allSatisfy { !$0.lowercased().contains("x-assertion") })
        #expect(answers[0].contains("\r\n\(Self.basic)\r\n") && answers[1].contains("\r\n\(Self.basic)\r\n"))
        #expect(answers[2].contains("Digest a=\"b\""))
        #expect(!answers[3].lowercased().contains("authorization"))
    }

    @Test func `a token in Authorization is 400, also where a rule is observed, and the log says why`() async throws {
        for mode in [EnforcementMode.enforce, .observe(until: .latest)] {
            let (answers, lines) = try await Self.answers(
                [
                    ("/private/x", [Self.assertion, "Authorization: Bearer \(Self.token)"]),
                    ("/open", ["Authorization: Token \(Self.token)"]), ("/open", [Self.basic, Self.basic]),
                ], mode: mode)
            #expect(answers.allSatisfy { firstLine($0).hasPrefix("HTTP/1.1 400") }, "\(answers)")
            for (line, hint) in zip(
                lines,
                [
                    RequestWalkHints.tokenInAuthorization, RequestWalkHints.tokenInAuthorization,
                    RequestWalkHints.severalAuthorizations,
                ])
            {
                #expect(line.contains(#""reason":"multiple_credentials","hint":"\#(hint)"#), "\(line)")
                #expect(!line.contains(Self.token))
            }
        }
    }

    @Test func `a request that is forwarded because its rule is observed goes without Authorization`() async throws {
        let (answers, lines) = try await Self.answers([("/private/x", [Self.basic])], mode: .observe(until: .latest))
        #expect(firstLine(answers[0]).hasPrefix("HTTP/1.1 200") && !answers[0].lowercased().contains("authorization"))
        #expect(lines[0].contains(#""would":{"status":401,"reason":"missing_credentials","by":"observe"}"#))
    }
}

/// Beginnings of the two hints.
private enum RequestWalkHints {
    static let severalAuthorizations =
        "This resource passes `Authorization` to its upstream, and the request has more than one."
    static let tokenInAuthorization =
        "This resource passes `Authorization` to its upstream without judging it, and the request's has a token"
}
