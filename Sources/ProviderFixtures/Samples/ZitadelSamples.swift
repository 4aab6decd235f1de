/// Tokens of ZITADEL: those it gives out, and those that look like them and must be refused.
///
/// Every name and number is made up.
enum ZitadelSamples {
    static let tokens: [SampleSource] = [
        SampleSource(
            "zitadel/access",
            header: #"{"alg":"RS256","kid":"280543383892525058"}"#,
            payload: #"""
                {"aud":["282465789963927554","280998627474669570"], "client_id":"282465789963927554", "exp":1790043200,
                 "iat":1790000000, "nbf":1790000000, "iss":"https://kestrel.zitadel.cloud", "jti":"V2_1",
                 "sub":"77776025198584418", "urn:zitadel:iam:org:project:roles":{"customer":{"2840":"kaasik.example"}}}
                """#),
        SampleSource(
            "zitadel/id",
            header: #"{"alg":"RS256","kid":"280543383892525058"}"#,
            payload: #"""
                {"amr":["pwd"], "at_hash":"x", "aud":["282465789963927554","280998627474669570"], "auth_time":1789999900,
                 "azp":"282465789963927554", "exp":1790043200, "iat":1790000000, "iss":"https://kestrel.zitadel.cloud",
                 "sub":"77776025198584418"}
                """#,
            reason: "not_access_token"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "zit-1-id-token", base: "zitadel/id",
            reason: "not_access_token",
            why: "same aud array as the access token"),
        NearMissSource(
            "zit-2-other-project", base: "zitadel/access",
            setPayload: #"{"aud":["111","222"]}"#,
            reason: "audience_mismatch",
            why: "project id missing"),
        NearMissSource(
            "zit-3-role-in-other-org", base: "zitadel/access",
            setPayload: #"{"urn:zitadel:iam:org:project:roles":{"customer":{"9999":"fremd.example"}}}"#,
            reason: "tenant_not_allowed",
            why: "role granted in another organisation"),
    ]
}
