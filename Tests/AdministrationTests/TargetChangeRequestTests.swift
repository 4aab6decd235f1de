import Testing

@testable import Administration

/// Who may change something on the admin listener, and what they are told otherwise.
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

    @Test func `with the token a target is drained, of one upstream or of all`() {
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
    func `another token is none`(authorization: String?) {
        #expect(status(judge(authorization: authorization)) == 401)
    }

    @Test func `without a token in the file nothing can be changed, whatever is sent`() {
        #expect(status(judge(token: nil)) == 403)
        #expect(status(judge(authorization: "Bearer ", token: nil)) == 403)
        #expect(status(judge(authorization: nil, token: nil)) == 403)
    }

    @Test func `a page by another name, and a request without a target, are refused`() {
        #expect(status(judge(host: "evil.example")) == 421)
        #expect(status(judge(host: nil)) == 421)
        #expect(status(judge([:])) == 400)
        #expect(status(judge(["target": ""])) == 400)
        // What is missing is told only to those who may ask.
        #expect(status(judge([:], authorization: nil)) == 401)
    }
}
