import Testing

@testable import Administration

/// Authorization of changes on the admin listener, and the responses to refused requests.
struct TargetChangeRequestTests {
    private static let token = Array("0123456789abcdef".utf8)

    private func judge(
        _ parameters: [String: String] = ["target": "10.0.0.7:9000"], host: String? = "127.0.0.1:9901",
        authorization: String? = "Bearer 0123456789abcdef", token: [UInt8]? = token
    ) -> TargetChangeRequest.Verdict {
        TargetChangeRequest(token: token, isDrained: true).judge(host: host, authorization: authorization) {
            parameters[$0]
        }
    }

    private func status(_ verdict: TargetChangeRequest.Verdict) -> Int? {
        if case .refusal(let status, _) = verdict { status } else { nil }
    }

    @Test func `a request with the admin token drains a target, of one upstream or of all`() {
        #expect(judge() == .change(TargetChange(target: "10.0.0.7:9000", resource: nil, path: nil, isDrained: true)))
        #expect(
            judge(["target": "a:1", "resource": "orders", "path": "/x"])
                == .change(TargetChange(target: "a:1", resource: "orders", path: "/x", isDrained: true)))
        #expect(status(judge(authorization: "bearer 0123456789abcdef")) == nil)
    }

    @Test(arguments: [
        nil, "", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdeF", "Bearer 0123456789abcdef0",
        "Bearer  0123456789abcdef", "Basic 0123456789abcdef", "0123456789abcdef",
        "Bearer 0123456789abcdef,Bearer 0123456789abcdef",
    ])
    func `a request with another token or none is 401`(authorization: String?) {
        #expect(status(judge(authorization: authorization)) == 401)
    }

    @Test func `without an admin token in the file, a target change is always 403`() {
        #expect(status(judge(token: nil)) == 403)
        #expect(status(judge(authorization: "Bearer ", token: nil)) == 403)
        #expect(status(judge(authorization: nil, token: nil)) == 403)
    }

    @Test func `a target change with a foreign host name or without a target is refused`() {
        #expect(status(judge(host: "evil.example")) == 421)
        #expect(status(judge(host: nil)) == 421)
        #expect(status(judge([:])) == 400)
        #expect(status(judge(["target": ""])) == 400)
        // The missing parameter is reported only to authorized clients.
        #expect(status(judge([:], authorization: nil)) == 401)
    }
}
