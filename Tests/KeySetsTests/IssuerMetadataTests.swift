import KeySets
import NetworkNames
import StrictJSON
import Testing

@Suite struct IssuerMetadataTests {
    private func parse(_ text: String, expecting issuer: String = "https://id.example") throws(IssuerMetadataRejection)
        -> IssuerMetadata
    {
        try IssuerMetadata(parsing: Array(text.utf8).span, expectedIssuer: issuer)
    }

    @Test func `metadata of the expected issuer names its key set, on any https host`() throws {
        let text = #"{"issuer":"https://id.example","jwks_uri":"https://keys.example/k?v=1","token_endpoint":7}"#
        let metadata = try parse(text)
        #expect(metadata.issuer == "https://id.example")
        #expect(metadata.jwkSetURL.text == "https://keys.example/k?v=1")
    }

    @Test(arguments: [
        "https://id.example/", "https://ID.example", "http://id.example", "https://id.example.", "",
        "https://evil.example",
    ])
    func `metadata of another issuer is refused, compared byte for byte`(found: String) {
        #expect(throws: IssuerMetadataRejection.issuerMismatch(found: found)) {
            try parse(#"{"issuer":"\#(found)","jwks_uri":"https://id.example/keys"}"#)
        }
    }

    @Test func `an issuer template is compared as text`() throws {
        let template = "https://login.microsoftonline.com/{tenantid}/v2.0"
        let keys = "https://login.microsoftonline.com/common/discovery/v2.0/keys"
        let text = #"{"issuer":"\#(template)","jwks_uri":"\#(keys)"}"#
        #expect(try parse(text, expecting: template).jwkSetURL.text == keys)
        let tenant = "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0"
        #expect(throws: IssuerMetadataRejection.issuerMismatch(found: template)) { try parse(text, expecting: tenant) }
        #expect(throws: IssuerMetadataRejection.issuerMismatch(found: tenant)) {
            try parse(#"{"issuer":"\#(tenant)","jwks_uri":"\#(keys)"}"#, expecting: template)
        }
    }

    @Test func `canonically equivalent spellings are different issuers`() {
        #expect(throws: IssuerMetadataRejection.issuerMismatch(found: "https://id.example/e\u{301}")) {
            try parse(
                "{\"issuer\":\"https://id.example/e\u{301}\",\"jwks_uri\":\"https://id.example/k\"}",
                expecting: "https://id.example/\u{E9}"
            )
        }
    }

    @Test(arguments: [
        ("https://id.example/realms/acme/keys", true), ("https://id.example/realms/acme/a/b?v=1", true),
        ("https://id.example:443/realms/acme/keys", true), ("https://ID.example/realms/acme/keys", true),
        ("https://id.example/realms/acme/..keys", true), ("https://id.example/realms/globex/keys", false),
        ("https://id.example/realms/acme", false), ("https://id.example/realms/acme/", false),
        ("https://id.example/realms/acme2/keys", false), ("https://id.example/realms/Acme/keys", false),
        ("https://keys.example/realms/acme/keys", false), ("https://id.example:444/realms/acme/keys", false),
        ("https://id.example/realms/acme/../globex/keys", false),
        ("https://id.example/realms/acme/%2e%2E/globex/keys", false),
        ("https://id.example/realms/acme/.%2e/globex", false), ("https://id.example/realms/acme/./keys", false),
        ("https://id.example/realms/acme/..%2fglobex/keys", false),
        ("https://id.example/realms/acme/..;/globex/keys", false), ("https://id.example/realms/acme/.;x/keys", false),
        ("https://id.example/realms/acme/%2E.;x=1/keys", false), ("https://id.example/realms/acme/..%3Bx/keys", false),
        ("https://id.example/realms/acme/%252e%252e/globex", false), ("https://id.example/realms/acme/a;x/keys", true),
        ("https://id.example/realms/acme/...;x/keys", true),
        ("https://id.example/realms/acme/%5c..%5Cglobex", false), ("https://id.example/keys?/realms/acme/", false),
    ])
    func `T544: the key set of a realm is below the realm's own address`(url: String, isAccepted: Bool) throws {
        let issuer = "https://id.example/realms/acme"
        let bytes = Array(#"{"issuer":"\#(issuer)","jwks_uri":"\#(url)"}"#.utf8)
        let parse = { () throws(IssuerMetadataRejection) in
            try IssuerMetadata(parsing: bytes.span, expectedIssuer: issuer, keysBelow: issuer + "/")
        }
        if isAccepted {
            #expect(try parse().jwkSetURL.text == url)
        } else {
            #expect(throws: IssuerMetadataRejection.jwkSetURLElsewhere(url, place: issuer + "/")) { try parse() }
        }
    }

    @Test(
        arguments: [
            ("[]", .notJSONObject),
            ("{}", .issuerMissing),
            (#"{"jwks_uri":"https://id.example/k"}"#, .issuerMissing),
            (#"{"issuer":7}"#, .issuerNotString),
            (#"{"issuer":["https://id.example"]}"#, .issuerNotString),
            (#"{"issuer":"https://id.example"}"#, .jwkSetURLMissing),
            (#"{"issuer":"https://id.example","jwks_uri":null}"#, .jwkSetURLInvalid),
            (#"{"issuer":"https://id.example","jwks_uri":"/keys"}"#, .jwkSetURLInvalid),
            (#"{"issuer":"https://id.example","jwks_uri":"file:///etc/passwd"}"#, .jwkSetURLInvalid),
            (#"{"issuer":"https://id.example","jwks_uri":"https://id.example@evil.example/"}"#, .jwkSetURLInvalid),
            (
                #"{"issuer":"https://id.example","jwks_uri":"http://id.example/keys"}"#,
                .jwkSetURLNotHTTPS("http://id.example/keys")
            ),
            ("<html>", .notJSON(.notObjectOrArray)),
            (#"{"issuer":"https://id.example","issuer":"https://id.example"}"#, .notJSON(.duplicateMember)),
        ] as [(String, IssuerMetadataRejection)])
    func `unusable metadata is refused with the reason`(text: String, expected: IssuerMetadataRejection) {
        #expect(throws: expected) { try parse(text) }
    }

    @Test func `a plain http jwks_uri is accepted on loopback, or if the issuer itself is plain http`() throws {
        let loopback = #"{"issuer":"https://id.example","jwks_uri":"http://127.0.0.1:3001/keys"}"#
        #expect(try parse(loopback).jwkSetURL.scheme == .http)
        let plain = #"{"issuer":"http://id.internal","jwks_uri":"http://keys.internal/keys"}"#
        #expect(try parse(plain, expecting: "http://id.internal").jwkSetURL.host == "keys.internal")
    }

    private func endpoint(_ member: String, of issuer: String = "https://id.example") throws -> Result<
        HTTPURL, IntrospectionEndpointRejection
    > {
        try parse(#"{"issuer":"\#(issuer)","jwks_uri":"https://id.example/keys"\#(member)}"#, expecting: issuer)
            .introspectionEndpoint
    }

    @Test func `metadata names the introspection endpoint, on any https host`() throws {
        let named = #","introspection_endpoint":"https://ask.example/i?v=1""#
        #expect(try endpoint(named).get().text == "https://ask.example/i?v=1")
        #expect(try endpoint(#","introspection_endpoint":"http://127.0.0.1:3001/i""#).get().port == 3001)
        let plain = #","introspection_endpoint":"http://ask.internal/i""#
        #expect(try endpoint(plain, of: "http://id.internal").get().host == "ask.internal")
    }

    @Test(
        arguments: [
            ("", .missing), (#","introspection_endpoint":null"#, .invalid),
            (#","introspection_endpoint":["https://id.example/i"]"#, .invalid),
            (#","introspection_endpoint":"/i""#, .invalid),
            (#","introspection_endpoint":"https://a:b@id.example/i""#, .invalid),
            (#","introspection_endpoint":"http://id.example/i""#, .notHTTPS("http://id.example/i")),
        ] as [(String, IntrospectionEndpointRejection)])
    func `an invalid introspection endpoint does not affect the keys`(
        member: String, expected: IntrospectionEndpointRejection
    ) throws {
        #expect(try endpoint(member) == .failure(expected))
    }

    @Test(
        arguments: [
            ("", nil), (#","scopes_supported":"openid""#, nil), (#","scopes_supported":null"#, nil),
            (#","scopes_supported":[]"#, []),
            (#","scopes_supported":["openid",7,"orders:read"]"#, ["openid", "orders:read"]),
        ] as [(String, [String]?)])
    func `listed scopes are read, and any other value counts as no list`(member: String, expected: [String]?) throws {
        #expect(
            try parse(#"{"issuer":"https://id.example","jwks_uri":"https://id.example/keys"\#(member)}"#).scopes
                == expected)
    }

    @Test(arguments: [
        (
            "https://id.example", "https://id.example/.well-known/openid-configuration",
            "https://id.example/.well-known/oauth-authorization-server"
        ),
        (
            "https://id.example/", "https://id.example/.well-known/openid-configuration",
            "https://id.example/.well-known/oauth-authorization-server"
        ),
        (
            "https://id.example/tenant/v2.0", "https://id.example/tenant/v2.0/.well-known/openid-configuration",
            "https://id.example/.well-known/oauth-authorization-server/tenant/v2.0"
        ),
        (
            "http://localhost:3001/oidc/", "http://localhost:3001/oidc/.well-known/openid-configuration",
            "http://localhost:3001/.well-known/oauth-authorization-server/oidc"
        ),
    ])
    func `metadata is requested at the addresses of OpenID Connect and RFC 8414`(
        issuer: String, openID: String, rfc8414: String
    ) {
        #expect(IssuerMetadata.documentURLs(for: issuer) == [openID, rfc8414])
    }

    @Test(arguments: ["", "id.example", "https://id.example/?a=b", "urn:issuer", "https://id.example/#x"])
    func `an issuer that is no URL has no metadata address`(issuer: String) {
        #expect(IssuerMetadata.documentURLs(for: issuer).isEmpty)
    }
}
