/// The threat cases, grouped by the part of the request they concern.
enum ThreatCases {
    /// Cases of the location of credentials (RFC 9110 §11, RFC 6750 §2).
    static let credentials: [ThreatCase] = [
        .fields("T001 no Authorization", [], .anonymous),
        .fields("T002 a good token", ["Authorization: Bearer GOOD"], .forwarded),
        .fields("T003 bearer in lower case", ["Authorization: bearer GOOD"], .forwarded),
        .fields("T003 BEARER", ["Authorization: BEARER GOOD"], .forwarded),
        .fields("T003 bEaReR", ["Authorization: bEaReR GOOD"], .forwarded),
        .fields("T004 several spaces", ["Authorization: Bearer    GOOD"], .forwarded),
        .fields("T005 a tab after the scheme", ["Authorization: Bearer\tGOOD"], .malformedCredentials),
        .fields("T006 spaces and tabs behind the token", ["Authorization: Bearer GOOD \t "], .forwarded),
        .fields("T007 the scheme alone", ["Authorization: Bearer"], .malformedCredentials),
        .fields("T007 the scheme and a space", ["Authorization: Bearer "], .malformedCredentials),
        .fields("T008 two tokens", ["Authorization: Bearer GOOD GOOD"], .malformedCredentials),
        .fields("T008 a token and junk", ["Authorization: Bearer GOOD junk"], .malformedCredentials),
        .fields("T009 a list, the good one first", ["Authorization: Bearer GOOD, Bearer a.b.c"], .malformedCredentials),
        .fields("T009 a list, the good one last", ["Authorization: Bearer a.b.c, Bearer GOOD"], .malformedCredentials),
        .fields(
            "T010 two fields, the good one first", ["Authorization: Bearer GOOD", "Authorization: Bearer a.b.c"],
            .multipleCredentials),
        .fields(
            "T010 two fields, the good one last", ["Authorization: Bearer a.b.c", "Authorization: Bearer GOOD"],
            .multipleCredentials),
        .fields(
            "T010 the same twice", ["Authorization: Bearer GOOD", "authorization: Bearer GOOD"], .multipleCredentials),
        .fields(
            "T011 Basic, then Bearer", ["Authorization: Basic YTpi", "Authorization: Bearer GOOD"], .multipleCredentials
        ),
        .fields(
            "T011 Bearer, then Basic", ["Authorization: Bearer GOOD", "Authorization: Basic YTpi"], .multipleCredentials
        ),
        .fields("T012 Bearer within Basic", ["Authorization: Basic Bearer GOOD"], .anonymous),
        .fields("T013 xBearer", ["Authorization: xBearer GOOD"], .anonymous),
        .fields("T013 Bearerx", ["Authorization: Bearerx GOOD"], .anonymous),
        .fields("T013 a colon", ["Authorization: Bearer:GOOD"], .anonymous),
        .fields("T013 an equals sign", ["Authorization: Bearer=GOOD"], .anonymous),
        .fields("T014 in quotes", ["Authorization: Bearer \"GOOD\""], .malformedCredentials),
        .fields("T014 in angle brackets", ["Authorization: Bearer <GOOD>"], .malformedCredentials),
        .fields("T015 a parameter behind it", ["Authorization: Bearer GOOD;x=1"], .malformedCredentials),
        .fields("T015 a comma behind it", ["Authorization: Bearer GOOD,"], .malformedCredentials),
        .fields("T016 a no-break space before it", ["Authorization: Bearer \u{A0}GOOD"], .badRequest),
        .fields("T016 an accented letter behind it", ["Authorization: Bearer GOODé"], .badRequest),
        .fields("T017 NUL", ["Authorization: Bearer GOOD\0"], .badRequest),
        .fields("T017 a control byte", ["Authorization: Bearer \u{1}GOOD"], .badRequest),
        .fields("T017 DEL", ["Authorization: Bearer GOOD\u{7F}"], .badRequest),
        .fields("T018 folded", ["Authorization: Bearer", " GOOD"], .badRequest),
        .fields("T019 a space before the colon", ["Authorization : Bearer GOOD"], .badRequest),
        .fields("T020 the name in lower case", ["authorization: Bearer GOOD"], .forwarded),
        .fields("T020 the name in upper case", ["AUTHORIZATION: Bearer GOOD"], .forwarded),
        .fields("T020 the name in mixed case", ["aUtHoRiZaTiOn: Bearer GOOD"], .forwarded),
        .fields("T021 Proxy-Authorization", ["Proxy-Authorization: Bearer GOOD"], .anonymous),
        .fields("T021 X-Authorization", ["X-Authorization: Bearer GOOD"], .anonymous),
        .fields("T021 X-Forwarded-Authorization", ["X-Forwarded-Authorization: Bearer GOOD"], .anonymous),
        .fields("T022 in the query", "GET /orders?access_token=GOOD HTTP/1.1", [], .anonymous),
        .fields(
            "T023 in the field and in the query", "GET /orders?access_token=x HTTP/1.1", ["Authorization: Bearer GOOD"],
            .multipleCredentials),
        .fields(
            "T023 in brackets", "GET /orders?[access_token]=x HTTP/1.1", ["Authorization: Bearer GOOD"],
            .multipleCredentials),
        .fields(
            "T023 escaped for IIS", "GET /orders?access%u005ftoken=x HTTP/1.1", ["Authorization: Bearer GOOD"],
            .multipleCredentials),
        .raw(
            "T024 in a form",
            "POST /orders HTTP/1.1\r\nHost: lab.example\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: 16\r\n\r\naccess_token=a.b", .anonymous),
        .fields("T025 in a cookie", ["Cookie: access_token=GOOD"], .anonymous),
        .fields("T025 in Sec-WebSocket-Protocol", ["Sec-WebSocket-Protocol: bearer, GOOD"], .anonymous),
        .fields(
            "T026 nominated by Connection", ["Connection: authorization", "Authorization: Bearer GOOD"], .badRequest),
        .raw(
            "T027 in the trailer",
            "POST /orders HTTP/1.1\r\nHost: lab.example\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nAuthorization: Bearer GOOD\r\n\r\n",
            ThreatOutcome(status: 401, reason: "missing_credentials", error: "", endsConnection: true)),
        .fields(
            "T028 a byte too long", ["Authorization: Bearer " + String(repeating: "a", count: 16_385)], .headTooLarge),
        .fields(
            "T028 as long as allowed", ["Authorization: Bearer " + String(repeating: "a", count: 16_384)],
            .invalidToken("opaque_not_supported")),
        .fields("T029 DPoP", ["Authorization: DPoP GOOD"], .anonymous),
        .claim(
            "T030 bound to a key", "cnf", #"{"jkt":"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}"#,
            .invalidToken("bound_token")),
        .claim("T030 bound to a certificate", "cnf", #"{"x5t#S256":"AAAA"}"#, .invalidToken("bound_token")),
        .raw(
            "T031 a bad token before a body that waits",
            "POST /orders HTTP/1.1\r\nHost: lab.example\r\nAuthorization: Bearer a.b.c\r\nExpect: 100-continue\r\n"
                + "Content-Length: 10485760\r\n\r\n",
            ThreatOutcome(status: 401, reason: "malformed", error: "invalid_token", endsConnection: true)),
        .line("T033 an unknown expectation", "Expect: 200-ok", .ending(417, "expectation_failed")),
        .line(
            "T033 two expectations", "Expect: 100-continue\r\nExpect: 100-continue", .ending(417, "expectation_failed")),
        .fields(
            "T034 a preflight", "OPTIONS /orders HTTP/1.1",
            ["Origin: https://a.example", "Access-Control-Request-Method: GET"], .noRule),
        .fields("T035 a health check's user agent", ["User-Agent: kube-probe/1.30"], .anonymous),
        .fields("T035 X-Original-URL", ["X-Original-URL: /public/x"], .anonymous),
        .fields("T035 X-Rewrite-URL", ["X-Rewrite-URL: /public/x"], .anonymous),
        .fields("T035 X-Forwarded-Uri", ["X-Forwarded-Uri: /public/x"], .anonymous),
        .raw(
            "T036 a good request, then one without a token",
            "GET /orders HTTP/1.1\r\nHost: lab.example\r\nAuthorization: Bearer GOOD\r\n\r\nGET /orders HTTP/1.1\r\nHost: lab.example\r\n\r\n",
            .forwarded, .anonymous),
    ]
}
