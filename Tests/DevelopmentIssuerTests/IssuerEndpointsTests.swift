import DevelopmentIssuer
import JOSE
import StrictJSON
import Testing

struct IssuerEndpointsTests {
    // MARK: Documents

    @Test(arguments: ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"])
    func `the metadata names the issuer and its endpoints`(path: String) async throws {
        let server = try await AuthorizationServer.start(algorithm: .edDSA)
        let answer = try await Answer.get(server.issuer + path)
        let metadata = try answer.json
        #expect(answer.status == 200)
        #expect(answer.field("content-type") == "application/json")
        #expect(metadata["issuer"]?.string == server.issuer)
        #expect(metadata["jwks_uri"]?.string == server.issuer + "/jwks")
        #expect(metadata["token_endpoint"]?.string == server.issuer + "/token")
        #expect(metadata["id_token_signing_alg_values_supported"]?.elements.map(\.string) == ["EdDSA"])
        await server.stop()
    }

    @Test func `an unchanged key set is answered with 304`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let first = try await Answer.get(server.issuer + "/jwks")
        #expect(first.field("cache-control") == "public, max-age=300")
        let validator = try #require(first.field("etag"))
        let again = try await Answer.get(server.issuer + "/jwks", headers: ["If-None-Match": "\"other\", \(validator)"])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        try server.rotate()
        let changed = try await Answer.get(server.issuer + "/jwks", headers: ["If-None-Match": validator])
        #expect(changed.status == 200)
        await server.stop()
    }

    // MARK: Controls

    @Test func `keys are rotated on request`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let kept = try await Answer.request("POST", server.issuer + "/rotate").json
        #expect(kept["published"]?.count == 2)
        let dropped = try await Answer.request("POST", server.issuer + "/rotate?drop=true").json
        let keyID = try #require(dropped["kid"]?.string)
        #expect(dropped["published"]?.elements.map(\.string) == [keyID])
        #expect(try await KeySet.published(by: server.issuer).keys.map(\.keyID) == [keyID])
        #expect(try await Answer.request("POST", server.issuer + "/rotate?drop=maybe").status == 400)
        await server.stop()
    }

    @Test(arguments: [500, 404, 301] as [UInt])
    func `a faulty status is answered exactly as often as requested`(status: UInt) async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let ordered = try await Answer.request("POST", server.issuer + "/fault?document=jwks&status=\(status)&count=2")
        #expect(try ordered.json["faulty"]?.elements.map(\.string) == ["jwks"])
        #expect(try await Answer.get(server.issuer + "/.well-known/openid-configuration").status == 200)
        #expect(try await Answer.get(server.issuer + "/jwks").status == status)
        #expect(try await Answer.get(server.issuer + "/jwks").status == status)
        #expect(try await Answer.get(server.issuer + "/jwks").status == 200)
        await server.stop()
    }

    @Test func `a faulty redirect leads to the valid document`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        server.fault(IssuerFault(status: 301))
        let location = try #require(try await Answer.get(server.issuer + "/jwks").field("location"))
        #expect(location == server.issuer + "/moved/jwks")
        let sound = try await Answer.get(location)
        #expect(try sound.json["keys"]?.count == 1)
        await server.stop()
    }

    @Test func `faults last until they are cleared`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        _ = try await Answer.post(server.issuer + "/fault", form: "status=500")
        for _ in 0..<5 {
            #expect(try await Answer.get(server.issuer + "/.well-known/openid-configuration").status == 500)
        }
        let cleared = try await Answer.post(server.issuer + "/fault", form: "clear=true")
        #expect(try cleared.json["faulty"]?.count == 0)
        #expect(try await Answer.get(server.issuer + "/.well-known/openid-configuration").status == 200)
        await server.stop()
    }

    @Test(arguments: [(FaultyBody.junk, 15), (.empty, 0), (.huge, 1_048_600)])
    func `a faulty body is answered with status 200`(body: FaultyBody, byteCount: Int) async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        server.fault(IssuerFault(of: [.jwks], body: body))
        let answer = try await Answer.get(server.issuer + "/jwks")
        #expect(answer.status == 200)
        #expect(answer.body.count == byteCount)
        await server.stop()
    }

    @Test(arguments: [("down", 503, 15), ("garbage", 200, 15), ("empty", 200, 2)] as [(String, UInt, Int)])
    func `a fault can be requested by name`(name: String, status: UInt, byteCount: Int) async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        _ = try await Answer.request("POST", server.issuer + "/fault?name=\(name)")
        let answer = try await Answer.get(server.issuer + "/jwks")
        #expect(answer.status == status)
        #expect(answer.body.count == byteCount)
        _ = try await Answer.request("POST", server.issuer + "/fault?name=clear")
        #expect(try await Answer.get(server.issuer + "/jwks").json["keys"]?.count == 1)
        await server.stop()
    }

    @Test func `a flapping key set lacks each key in turn`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        try server.rotate()
        let all = try await KeySet.published(by: server.issuer).keys.map(\.keyID)
        server.fault(NamedFault.flap.fault)
        var seen: [[String?]] = []
        for _ in 0..<4 { seen.append(try await KeySet.published(by: server.issuer).keys.map(\.keyID)) }
        #expect(seen == [[all[1]], [all[0]], all, [all[1]]])
        server.clearFaults()
        #expect(try await KeySet.published(by: server.issuer).keys.map(\.keyID) == all)
        await server.stop()
    }

    @Test func `a delay fault delays the valid answer`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        _ = try await Answer.request("POST", server.issuer + "/fault?delay=50ms")
        let start = ContinuousClock.now
        let keys = try await KeySet.published(by: server.issuer)
        #expect(ContinuousClock.now - start >= .milliseconds(50))
        #expect(keys.keys.count == 1)
        await server.stop()
    }

    @Test(
        arguments: [
            ("", "Say name, status, body or delay, or clear=true"),
            ("name=odd", "name must be down, slow, garbage, flap, empty or clear"),
            ("delay=121s", "delay must be from 0ms to 120000ms"),
            ("status=200", "status must be from 300 to 599"),
            ("status=x", "status must be from 300 to 599"),
            ("document=token&status=500", "document must be discovery or jwks"),
            ("body=odd", "body must be junk, empty, huge or object"),
            ("delay=120001ms", "delay must be from 0ms to 120000ms"),
            ("delay=-1", "delay must be from 0ms to 120000ms"),
            ("status=500&count=0", "count must be a positive number"),
            ("status=%zz", "The parameters are malformed"),
        ])
    func `an invalid fault request is refused`(form: String, message: String) async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let answer = try await Answer.post(server.issuer + "/fault", form: form)
        #expect(answer.status == 400)
        #expect(try answer.json["error"]?.string == message)
        #expect(try await Answer.get(server.issuer + "/jwks").status == 200)
        await server.stop()
    }
}
