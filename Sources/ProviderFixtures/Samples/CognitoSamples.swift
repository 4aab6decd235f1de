/// Tokens of Amazon Cognito: those it gives out, and those that look like them and must be refused.
///
/// Every name and number is made up.
enum CognitoSamples {
    static let tokens: [SampleSource] = [
        SampleSource(
            "cognito/access",
            header: #"{"kid":"Zm9vYmFyLi4uKg+/x1=","alg":"RS256"}"#,
            payload: #"""
                {"sub":"b1a2", "cognito:groups":["staff"],
                 "iss":"https://cognito-idp.eu-north-1.amazonaws.com/eu-north-1_Ab12Cd34E", "version":2,
                 "client_id":"57cbishk4j24pabc1234567890", "origin_jti":"o1", "event_id":"e1", "token_use":"access",
                 "scope":"orders/read openid", "auth_time":1789999900, "exp":1790003600, "iat":1790000000, "jti":"j1",
                 "username":"mira"}
                """#),
        SampleSource(
            "cognito/id",
            header: #"{"kid":"T3RoZXJLZXk+/y2=","alg":"RS256"}"#,
            payload: #"""
                {"sub":"b1a2", "aud":"57cbishk4j24pabc1234567890",
                 "iss":"https://cognito-idp.eu-north-1.amazonaws.com/eu-north-1_Ab12Cd34E", "cognito:username":"mira",
                 "token_use":"id", "auth_time":1789999900, "exp":1790003600, "iat":1790000000, "email_verified":true}
                """#,
            reason: "not_access_token"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "cog-1-id-token", base: "cognito/id",
            reason: "not_access_token",
            why: "token_use id"),
        NearMissSource(
            "cog-2-other-client", base: "cognito/access",
            setPayload: #"{"client_id":"otherclient"}"#,
            reason: "client_not_allowed",
            why: "client_id plays the audience"),
        NearMissSource(
            "cog-3-sdk-scope", base: "cognito/access",
            setPayload: #"{"scope":"aws.cognito.signin.user.admin"}"#,
            reason: "insufficient_scope",
            why: "no resource-server scope"),
    ]
}
