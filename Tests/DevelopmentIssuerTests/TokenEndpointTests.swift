import DevelopmentIssuer
import Foundation
import JOSE
import StrictJSON
import Testing

struct TokenEndpointTests {
    private static let form = "grant_type=client_credentials&client_id=cron&resource=https%3A%2F%2Fapi.example%2Fv1"

    @Test func `a client credentials grant returns a token for the resource`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let answer = try await Answer.post(
            server.issuer + "/token", form: Self.form + "&scope=orders%3Aread+orders%3Awrite")
        let json = try answer.json
        #expect(answer.status == 200)
        #expect(answer.field("cache-control") == "no-store")
        #expect(json["token_type"]?.string == "Bearer")
        #expect(json["expires_in"]?.integer == 3600)
        #expect(json["scope"]?.string == "orders:read orders:write")
        let token = try ReadToken.reading(try #require(json["access_token"]?.string))
        #expect(try token.verdict(in: try await .published(by: server.issuer)) == .valid)
        #expect(token.claims["aud"]?.string == "https://api.example/v1")
        #expect(token.claims["client_id"]?.string == "cron")
        #expect(token.claims["sub"]?.string == "cron")
        await server.stop()
    }

    @Test func `a token request may choose subject, lifetime, algorithm and claims`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let form =
            Self.form
            + "&audience=urn:other&subject=ada&expires_in=-5&algorithm=EdDSA&claims=%7B%22roles%22%3A%5B%22x%22%5D%7D"
        let json = try await Answer.post(server.issuer + "/token", form: form).json
        #expect(json["expires_in"]?.integer == 0)
        #expect(json["scope"] == nil)
        let token = try ReadToken.reading(try #require(json["access_token"]?.string))
        #expect(token.header.algorithmName == "EdDSA")
        #expect(token.claims["sub"]?.string == "ada")
        #expect(token.claims["aud"]?.elements.map(\.string) == ["https://api.example/v1", "urn:other"])
        #expect(token.claims["roles"]?.elements.map(\.string) == ["x"])
        await server.stop()
    }

    @Test func `a client may authenticate by Basic credentials`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let credentials = Data("back%2Doffice:secret".utf8).base64EncodedString()
        let form = "grant_type=client_credentials&audience=a"
        let json = try await Answer.post(
            server.issuer + "/token", form: form, headers: ["Authorization": "Basic \(credentials)"]
        ).json
        let token = try ReadToken.reading(try #require(json["access_token"]?.string))
        #expect(token.claims["client_id"]?.string == "back-office")
        await server.stop()
    }

    @Test(
        arguments: [
            ("client_id=a&audience=b", "invalid_request", "The parameter grant_type is missing"),
            ("grant_type=&client_id=a&audience=b", "invalid_request", "The parameter grant_type is missing"),
            (
                "grant_type=password&client_id=a&audience=b", "unsupported_grant_type",
                "The only grant type is client_credentials"
            ),
            ("grant_type=client_credentials&audience=b", "invalid_client", "The parameter client_id is missing"),
            (
                "grant_type=client_credentials&client_id=a&client_id=b&audience=b", "invalid_request",
                "The parameter client_id is repeated"
            ),
            (
                "grant_type=client_credentials&client_id=a", "invalid_target",
                "Name the API in the parameter resource or audience"
            ),
            (
                "grant_type=client_credentials&client_id=a&resource=orders", "invalid_target",
                "A resource must be an absolute URI without a fragment"
            ),
            (
                "grant_type=client_credentials&client_id=a&resource=https://a/%23b", "invalid_target",
                "A resource must be an absolute URI without a fragment"
            ),
            (form + "&scope=%22", "invalid_scope", "A scope has a character that scopes may not have"),
            (form + "&scope=%C3%A9", "invalid_scope", "A scope has a character that scopes may not have"),
            (
                form + "&expires_in=1h", "invalid_request",
                "The parameter expires_in must be a whole number of seconds, at most ten years either way"
            ),
            (
                form + "&expires_in=315360001", "invalid_request",
                "The parameter expires_in must be a whole number of seconds, at most ten years either way"
            ),
            (
                form + "&algorithm=none", "invalid_request",
                "The algorithm must be one of RS256, PS256, ES256, ES384, EdDSA"
            ),
            (form + "&claims=7", "invalid_request", "The parameter claims must be one JSON object"),
            (form + "&scope=%F", "invalid_request", "The form is not well-formed"),
        ])
    func `a token request that cannot be granted is refused with the reason`(
        form: String, code: String, description: String
    ) async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let answer = try await Answer.post(server.issuer + "/token", form: form)
        #expect(answer.status == 400)
        #expect(try answer.json["error"]?.string == code)
        #expect(try answer.json["error_description"]?.string == description)
        #expect(answer.field("cache-control") == "no-store")
        await server.stop()
    }

    @Test func `malformed client credentials are answered with a challenge`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let answer = try await Answer.post(
            server.issuer + "/token", form: Self.form, headers: ["Authorization": "Basic ????"])
        #expect(answer.status == 401)
        #expect(answer.field("www-authenticate") == #"Basic realm="development issuer""#)
        #expect(try answer.json["error"]?.string == "invalid_client")
        await server.stop()
    }

    @Test func `the token endpoint reads only POST forms of limited size`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let message = "The body must be application/x-www-form-urlencoded and at most 16 KiB"
        let json = try await Answer.request(
            "POST", server.issuer + "/token", headers: ["Content-Type": "application/json"], body: "{}")
        #expect(try json.json["error_description"]?.string == message)
        let padding = String(repeating: "a", count: 16 * 1024 - Self.form.utf8.count - 3)
        #expect(try await Answer.post(server.issuer + "/token", form: Self.form + "&x=" + padding).status == 200)
        let long = try await Answer.post(server.issuer + "/token", form: Self.form + "&x=a" + padding)
        #expect(try long.json["error_description"]?.string == message)
        let get = try await Answer.get(server.issuer + "/token?" + Self.form)
        #expect(get.status == 405)
        #expect(get.field("allow") == "POST")
        await server.stop()
    }
}
