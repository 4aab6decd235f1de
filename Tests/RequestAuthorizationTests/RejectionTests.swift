import HTTPMessages
import RequestAuthorization
import Testing
import TokenVerification

@Suite struct RejectionTests {
    private static func terms(_ fate: ConnectionFate) -> AnswerTerms {
        AnswerTerms(date: Array("D".utf8), requestID: Array("r-1".utf8), fate: fate)
    }

    @Test func `a refusal has a challenge and a problem document`() {
        let rejection = Rejection(.token(.expired), challenge: BearerChallenge(realm: "orders"))
        var head = HeadWriter()
        let content = rejection.write(into: &head, Self.terms(.keep))
        let text = String(decoding: head.bytes + content, as: UTF8.self)
        let body =
            #"{"type":"about:blank","title":"Unauthorized","status":401,"request_id":"r-1","#
            + #""error":"invalid_token","error_description":"The access token expired"}"#
        let lines = [
            "HTTP/1.1 401 Unauthorized", "date: D", "x-request-id: r-1",
            #"www-authenticate: Bearer realm="orders", error="invalid_token", error_description="The access token expired""#,
            "content-type: application/problem+json", "cache-control: no-store", "content-length: \(body.utf8.count)",
        ]
        #expect(text == lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    @Test func `a closing response has Connection: close`() {
        let rejection = Rejection(.gateway(.keysUnavailable), retryAfter: .milliseconds(1500))
        var head = HeadWriter()
        _ = rejection.write(into: &head, Self.terms(.close))
        let text = String(decoding: head.bytes, as: UTF8.self)
        #expect(text.hasSuffix("connection: close\r\n\r\n"))
        #expect(text.contains("retry-after: 2\r\n"))
        #expect(!text.contains("www-authenticate"))
    }

    /// The table of answers, repeated on purpose.
    @Test func `each reason has its documented status`() {
        let expected: [Int: Set<String>] = [
            204: ["preflight", "preflight_refused"],
            400: ["malformed_credentials", "multiple_credentials", "bad_request", "door_request_invalid"],
            401: [
                "missing_credentials", "malformed", "opaque_not_supported", "alg_not_allowed", "typ_mismatch",
                "unsupported_header",
                "unknown_kid", "bad_signature", "issuer_mismatch", "audience_mismatch", "not_access_token", "expired",
                "not_yet_valid",
                "subject_invalid", "organization_mismatch", "bound_token", "claim_invalid", "authentication_too_old",
                "authentication_too_weak", "tenant_mismatch", "tenant_not_allowed", "key_issuer_mismatch",
                "policy_not_allowed",
                "version_not_allowed", "client_not_allowed", "claim_not_allowed", "signer_not_allowed",
                "foreign_resource", "auth_time_invalid", "inactive", "denied",
            ],
            403: [
                "issuer_required", "insufficient_scope", "role_required", "claim_required", "client_required",
                "identity_too_large",
                "no_rule", "origin_refused", "door_untrusted",
            ],
            404: ["no_resource", "door_cannot_answer"], 405: ["method_not_allowed"], 408: ["request_timeout"],
            413: ["body_too_large"],
            414: ["target_too_long"], 417: ["expectation_failed"], 429: ["rate_limited", "quota_exceeded"],
            431: ["head_too_large"],
            501: ["coding_not_supported"],
            502: ["upstream_unreachable", "upstream_invalid"],
            503: [
                "keys_unavailable", "key_not_asked", "introspection_unavailable", "overloaded", "upstream_refused",
                "upstream_unavailable",
                "quota_unavailable", "maintenance",
            ],
            504: ["upstream_timeout", "deadline_exceeded"],
            505: ["version_not_supported"],
        ]
        let actual = Dictionary(grouping: RejectionReason.allCases, by: \.status).mapValues { Set($0.map(\.label)) }
        #expect(actual == expected)
    }
}
