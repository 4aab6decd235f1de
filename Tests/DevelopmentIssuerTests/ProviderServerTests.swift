import DevelopmentIssuer
import Foundation
import JOSE
import ProviderFixtures
import StrictJSON
import Testing

struct ProviderServerTests {
    // MARK: Documents

    @Test(arguments: ProviderName.allCases)
    func `every discovery document is at the provider's own path and names the provider's issuer`(
        provider: ProviderName
    )
        async throws
    {
        let server = try await ProviderServer.start(as: provider)
        for keySet in server.samples.keySets {
            for document in keySet.discovery {
                let answer = try await Answer.get(server.url + document.path)
                #expect(answer.status == 200)
                #expect(try answer.json["issuer"]?.string == document.issuer)
                #expect(try answer.json["jwks_uri"]?.string == server.keySetURL(keySet.name))
            }
            let answer = try await Answer.get(server.url + keySet.path)
            let read = try KeySet(parsing: answer.body.span, use: .signaturesAndJWTSVIDs)
            #expect(read.keys.map(\.keyID) == keySet.keys.filter(\.signs).map(\.name.keyID))
        }
        await server.stop()
    }

    @Test(
        arguments: [
            (ProviderName.google, "/oauth2/v3/certs", "public, max-age=24873, must-revalidate, no-transform", "5059"),
            (.keycloak, "/realms/shop/protocol/openid-connect/certs", "no-cache", nil),
            (.zitadel, "/oauth/v2/keys", "max-age=300, must-revalidate", nil),
            (.authentik, "/application/o/orders/jwks/", nil, nil),
        ] as [(ProviderName, String, String?, String?)])
    func `a key set has the caching headers of the provider`(
        provider: ProviderName, path: String, caching: String?, age: String?,
    ) async throws {
        let server = try await ProviderServer.start(as: provider)
        let answer = try await Answer.get(server.url + path)
        #expect(answer.field("cache-control") == caching)
        #expect(answer.field("age") == age)
        #expect(answer.field("etag") == nil)
        await server.stop()
    }

    @Test func `Logto's key set must be revalidated each time, and is answered with 304 if unchanged`() async throws {
        let server = try await ProviderServer.start(as: .logto)
        let first = try await Answer.get(server.url + "/oidc/jwks")
        #expect(first.field("cache-control") == "no-cache, max-age=0, must-revalidate")
        #expect(first.field("content-type") == "application/jwk-set+json")
        let again = try await Answer.get(
            server.url + "/oidc/jwks", headers: ["If-None-Match": try #require(first.field("etag"))])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        await server.stop()
    }

    // MARK: Tokens

    @Test func `a sample token is issued with the current time and verifies`() async throws {
        let server = try await ProviderServer.start(as: .logto)
        let answer = try await Answer.post(server.url + "/token", form: "sample=access").json
        let token = try ReadToken.reading(try #require(answer["access_token"]?.string))
        let keys = try await Self.keys(server, "/oidc/jwks")
        #expect(try token.verdict(in: keys) == .valid)
        #expect(token.claims["iss"]?.string == "https://h7k2qd.logto.app/oidc")
        let issuedAt = try #require(token.claims["iat"]?.integer)
        #expect(abs(Double(issuedAt) - Date().timeIntervalSince1970) < 60)
        #expect(token.claims["exp"]?.integer == issuedAt + 3600)
        #expect(answer["expires_in"]?.integer == 3600)
        await server.stop()
    }

    @Test func `a near-miss token has its intended mistake`() async throws {
        let server = try await ProviderServer.start(as: .logto)
        let answer = try await Answer.post(server.url + "/token", form: "sample=logto-8-resource-prefix").json
        let token = try ReadToken.reading(try #require(answer["access_token"]?.string))
        #expect(token.claims["aud"]?.string == "https://shopping.your-app.com/api/")
        await server.stop()
    }

    @Test(arguments: [
        (ProviderName.okta, "scp", #"["a","b"]"#), (.firebase, "roles", #"["a","b"]"#),
        (.auth0, "permissions", #"["a","b"]"#), (.logto, "scope", #""a b""#),
    ])
    func `scopes are in the claim that the provider uses`(provider: ProviderName, claim: String, value: String)
        async throws
    {
        let server = try await ProviderServer.start(as: provider)
        let id = try #require(server.samples.tokens.first).id
        let minted = try #require(server.mint(SampleRequest(id, scopes: ["a", "b"])))
        let found = try ReadToken.reading(minted.token).claims[claim]?.serialized()
        #expect(found == Array(value.utf8))
        #expect(minted.expectedReason == nil)
        await server.stop()
    }

    @Test(arguments: [
        (ProviderName.entraExternal, "api://0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70/", "scp", ""),
        (.entraID, "api://3a6b8d94-f017-4e2c-9a5b-81d2c70e46f3/", "scp", ""),
        (.azureB2C, "https://rotkiefer.onmicrosoft.com/tasks-api/", "scp", ""),
        (.cognito, "orders/", "scope", "orders/"),
    ])
    func `clients request scopes by their long names only, and Microsoft's tokens have the short names`(
        provider: ProviderName, prefix: String, claim: String, prefixInToken: String
    ) async throws {
        let server = try await ProviderServer.start(as: provider)
        let id = try #require(server.samples.tokens.first).id
        func ask(_ scopes: String) async throws -> Answer {
            let form = FormParameters.encode([("sample", id), ("scope", scopes)])
            return try await Answer.post(server.url + "/token", form: form)
        }
        let issued = try await ask("\(prefix)read \(prefix)write").json
        let token = try ReadToken.reading(try #require(issued["access_token"]?.string))
        #expect(token.claims[claim]?.string == "\(prefixInToken)read \(prefixInToken)write")
        for refused in [
            "read", "\(prefix)read write", prefix, "x\(prefix)read", "api://others/read", "https://others.example/read",
        ] {
            let answer = try await ask(refused)
            #expect(answer.status == 400, "\(refused)")
            #expect(try answer.json["error"]?.string == "invalid_scope")
            #expect(try answer.json["error_description"]?.string?.hasSuffix("; clients ask for \(prefix)NAME") == true)
        }
        await server.stop()
    }

    @Test(arguments: [
        (ProviderName.entraID, "scp", "Orders.Read"), (.cognito, "scope", "openid orders/read offline_access"),
    ])
    func `OpenID Connect scopes can be requested too, and are not in Microsoft's access token`(
        provider: ProviderName, claim: String, value: String
    ) async throws {
        let server = try await ProviderServer.start(as: provider)
        let id = try #require(server.samples.tokens.first).id
        let api = provider == .cognito ? "orders/read" : "api://3a6b8d94-f017-4e2c-9a5b-81d2c70e46f3/Orders.Read"
        let minted = try #require(server.mint(SampleRequest(id, scopes: ["openid", api, "offline_access"])))
        #expect(try ReadToken.reading(minted.token).claims[claim]?.string == value)
        await server.stop()
    }

    @Test func `audience, lifetime and claims of a sample can be chosen`() async throws {
        let server = try await ProviderServer.start(as: .okta)
        let form = "sample=access&audience=a&audience=b&expires_in=-60&claims=%7B%22cid%22%3A%22x%22%7D"
        let answer = try await Answer.post(server.url + "/token", form: form).json
        let claims = try ReadToken.reading(try #require(answer["access_token"]?.string)).claims
        #expect(claims["aud"]?.elements.map(\.string) == ["a", "b"])
        #expect(claims["cid"]?.string == "x")
        let end = try #require(claims["exp"]?.integer)
        #expect(abs(Double(end) + 60 - Date().timeIntervalSince1970) < 60)
        #expect(claims["iat"]?.integer == end - 3600)
        #expect(answer["expires_in"]?.integer == 0)
        await server.stop()
    }

    @Test(arguments: ["sample=user", "sample=user&expires_in=60", "sample=user&expires_in=-60"])
    func `a header that repeats exp has that of the claims`(form: String) async throws {
        let server = try await ProviderServer.start(as: .awsALB)
        let answer = try await Answer.post(server.url + "/token", form: form).json
        let token = try ReadToken.reading(try #require(answer["access_token"]?.string))
        let end = try #require(token.claims["exp"]?.real)
        #expect(token.header.statement.expiration == .at(end))
        await server.stop()
    }

    @Test(arguments: [
        ("", "The parameter sample is missing"), ("sample=odd", "There is no sample odd; GET /samples lists them"),
        ("sample=access&sample=id", "The parameter sample is repeated"),
        ("sample=access&claims=%5B%5D", "The parameter claims must be one JSON object"),
        (
            "sample=access&expires_in=x",
            "The parameter expires_in must be a whole number of seconds, at most ten years either way"
        ),
    ])
    func `a token request for an unknown sample is refused`(form: String, message: String) async throws {
        let server = try await ProviderServer.start(as: .authentik)
        let answer = try await Answer.post(server.url + "/token", form: form)
        #expect(answer.status == 400)
        #expect(try answer.json["error_description"]?.string == message)
        await server.stop()
    }

    @Test func `the list of samples states the expected verdict of each`() async throws {
        let server = try await ProviderServer.start(as: .logto)
        let list = try await Answer.get(server.url + "/samples").json
        let samples = try #require(list["samples"]).elements.map { sample in sample }
        #expect(list["provider"]?.string == "logto")
        #expect(samples.count == 15)
        let refused = samples.first { sample in sample["id"]?.string == "logto-8-resource-prefix" }
        #expect(refused?["expected"]?.string == "audience_mismatch")
        #expect(refused?["why"]?.string == "exact string, no slash normalisation")
        #expect(samples.first?["expected"]?.isNull == true)
        await server.stop()
    }

    // MARK: Opaque tokens

    @Test func `an opaque token is recognised only by introspection`() async throws {
        let server = try await ProviderServer.start(as: .logto)
        let issued = try await Answer.post(
            server.url + "/token", form: "sample=opaque&scope=read&audience=https%3A%2F%2Fapi.example"
        ).json
        let token = try #require(issued["access_token"]?.string)
        #expect(!token.contains("."))
        let url = try #require(server.introspectionURL)
        let answer = try await Answer.post(url, form: "token=\(token)&client_id=gateway&client_secret=s")
        #expect(answer.status == 200)
        #expect(try answer.json["active"]?.boolean == true)
        #expect(try answer.json["sub"]?.string == "u4n8wq2zk0lp")
        #expect(try answer.json["scope"]?.string == "read")
        #expect(try answer.json["aud"]?.string == "https://api.example")
        await server.stop()
    }

    @Test func `introspection reports any other token as inactive, even a valid JWT`() async throws {
        let server = try await ProviderServer.start(as: .logto)
        let url = try #require(server.introspectionURL)
        let token = try #require(server.mint(SampleRequest("access"))).token
        for text in [token, "unknown"] {
            let answer = try await Answer.post(url, form: "token=\(text)&client_id=gateway&client_secret=s")
            #expect(answer.status == 200)
            #expect(answer.body == Array(#"{"active":false}"#.utf8))
        }
        await server.stop()
    }

    @Test func `introspection requires the configured client secret`() async throws {
        let server = try await ProviderServer.start(as: .logto, clientSecret: "s:1")
        let url = try #require(server.introspectionURL)
        for (credentials, status) in [("gateway:s%3A1", 200), ("gateway:s", 401), ("gateway", 401)] as [(String, UInt)]
        {
            let field = "Basic " + Data(credentials.utf8).base64EncodedString()
            #expect(try await Answer.post(url, form: "token=x", headers: ["Authorization": field]).status == status)
        }
        #expect(try await Answer.post(url, form: "token=x").status == 401)
        #expect(try await Answer.post(url, form: "token=x&client_id=a&client_secret=s:1").status == 200)
        await server.stop()
    }

    // MARK: Controls

    @Test func `after a rotation new tokens are signed by a new key of the same shape`() async throws {
        let server = try await ProviderServer.start(as: .cognito)
        let path = "/eu-north-1_Ab12Cd34E/.well-known/jwks.json"
        let before = try await Self.keys(server, path)
        let old = try ReadToken.reading(try #require(server.mint(SampleRequest("access"))).token)
        _ = try await Answer.request("POST", server.url + "/rotate?drop=true")
        let after = try await Self.keys(server, path)
        let new = try ReadToken.reading(try #require(server.mint(SampleRequest("access"))).token)
        #expect(Set(before.keys.map(\.keyID)).isDisjoint(with: after.keys.map(\.keyID)))
        #expect(try new.verdict(in: after) == .valid)
        #expect(try new.verdict(in: before) == nil)
        #expect(try old.verdict(in: after) == nil)
        _ = try await Answer.request("POST", server.url + "/rotate?drop=true")
        let again = try ReadToken.reading(try #require(server.mint(SampleRequest("access"))).token)
        #expect(try again.verdict(in: try await Self.keys(server, path)) == .valid)
        await server.stop()
    }

    @Test func `old keys stay published unless they are dropped in the rotation`() async throws {
        let server = try await ProviderServer.start(as: .okta)
        let old = try ReadToken.reading(try #require(server.mint(SampleRequest("access"))).token)
        let answer = try await Answer.request("POST", server.url + "/rotate").json
        #expect(answer["published"]?.elements.map(\.string) == [answer["kid"]?.string, "g8Qp1mZx"])
        #expect(try old.verdict(in: try await Self.keys(server, "/oauth2/default/v1/keys")) == .valid)
        await server.stop()
    }

    @Test func `a provider's server has the same faults as the plain issuer`() async throws {
        let server = try await ProviderServer.start(as: .entraID)
        let path = "/common/discovery/v2.0/keys"
        _ = try await Answer.request("POST", server.url + "/fault?name=flap")
        let counts = [
            try await Self.keys(server, path).keys.count, try await Self.keys(server, path).keys.count,
            try await Self.keys(server, path).keys.count, try await Self.keys(server, path).keys.count,
        ]
        #expect(counts == [2, 2, 2, 3])
        server.fault(NamedFault.empty.fault)
        #expect(try await Answer.get(server.url + path).body == Array("{}".utf8))
        server.fault(NamedFault.down.fault)
        #expect(try await Answer.get(server.url + "/common/v2.0/.well-known/openid-configuration").status == 503)
        server.clearFaults()
        #expect(try await Self.keys(server, path).keys.count == 3)
        await server.stop()
    }

    @Test func `a provider's faulty redirect leads to the valid document`() async throws {
        let server = try await ProviderServer.start(as: .okta)
        server.fault(IssuerFault(of: [.jwks], status: 302))
        let location = try #require(try await Answer.get(server.url + "/oauth2/default/v1/keys").field("location"))
        #expect(try await Answer.get(location).json["keys"]?.count == 1)
        await server.stop()
    }

    private static func keys(_ server: ProviderServer, _ path: String) async throws -> KeySet {
        let answer = try await Answer.get(server.url + path)
        return try KeySet(parsing: answer.body.span)
    }
}
