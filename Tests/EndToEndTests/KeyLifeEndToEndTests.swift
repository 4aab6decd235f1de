import DevelopmentIssuer
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@Suite(.serialized) struct KeyLifeEndToEndTests {
    /// Worst case of a rotation: the new key signs at the very moment it is published.
    @Test(.slow, arguments: [false, true])
    func `a rotation without grace under load costs one fetch and no request`(_ strayTokenComesFirst: Bool) async throws
    {
        let fixture = try await KeyLifeFixture.start()
        let answers = try await Load.answers(10_000, atOnce: 32) { number in
            if number == 5_000 {
                if strayTokenComesFirst {
                    let refused = try await fixture.gateway.ask("/api/orders", token: try fixture.stray())
                    #expect(refused.status == 401)
                }
                _ = try fixture.issuer.rotate(.stayPublished)
            }
            return try await fixture.gateway.ask("/api/orders", token: try fixture.token()).status
        }
        #expect(answers == [200: 10_000])
        let unasked = strayTokenComesFirst ? 2 : 1
        #expect(fixture.fetches - unasked == 1, "beside the start's and the stray token's, one fetch for the rotation")
        await fixture.stop()
    }

    @Test func `a flood of unknown key IDs causes few fetches and affects no other client`() async throws {
        let fixture = try await KeyLifeFixture.start()
        let (good, begin) = (try fixture.token(), ContinuousClock.now)
        let answers = try await Load.answers(8_000, atOnce: 64) { number in
            let isGood = number.isMultiple(of: 4)
            let answer = try await fixture.gateway.ask("/api/orders", token: isGood ? good : StrayToken.made(of: good))
            return "\(isGood ? "good" : "bad") \(answer.status)"
        }
        let elapsed = ContinuousClock.now - begin
        let notAsked = answers["bad 503", default: 0]
        #expect(answers == ["good 200": 2_000, "bad 401": 6_000 - notAsked, "bad 503": notAsked])
        // All requests come from one address.
        #expect((10...10 + 10 * Int(elapsed / .seconds(60))).contains(notAsked))
        // The first fetch, five saved up, and those that become available again.
        #expect(fixture.fetches <= 6 + Int(elapsed / .seconds(15)))
        #expect(await fixture.gateway.logHas(lines: 8_000))
        #expect(fixture.gateway.logged("unknown_kid") == 6_000 - notAsked)
        #expect(fixture.gateway.logged("key_not_asked") == notAsked)
        await fixture.stop()
    }

    @Test func `key sets saved on disk are used after a restart while the issuer is down`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let state = folder.path("state")
        let fixture = try await KeyLifeFixture.start { $0.topLines = ["state_directory: \(state)"] }
        #expect(try await fixture.gateway.ask("/api/orders", token: try fixture.token()).status == 200)
        #expect(
            await BearwardProcess.wait {
                ((try? FileManager.default.contentsOfDirectory(atPath: state)) ?? []).isEmpty == false
            })
        await fixture.gateway.stop()
        fixture.relay.die()
        let restarted = try await ServedFile.start(fixture.file.text)
        #expect(await BearwardProcess.wait { (try? await restarted.administration("/readyz").status) == 200 })
        let readiness = try await restarted.administration("/readyz")
        #expect(readiness.status == 200 && readiness.body.contains(#""from_disk":true"#), "\(readiness.body)")
        #expect(try await restarted.ask("/api/orders", token: try fixture.token()).status == 200)
        let unknown = try await restarted.ask("/api/orders", token: try fixture.stray())
        #expect(unknown.status == 503, "the issuer may have a new key, and nobody can say")
        #expect(unknown.fields["Retry-After"].count == 1)
        await restarted.stop()
        await fixture.stop()
    }

    @Test func `a key that a reload denies is refused at once, and accepted after a reload without the denial`()
        async throws
    {
        let fixture = try await KeyLifeFixture.start()
        let token = try fixture.token()
        #expect(try await fixture.gateway.ask("/api/orders", token: token).status == 200)
        var denying = fixture.file
        let keyID = try #require(try Self.keyID(of: token))
        denying.furtherIssuerLines = ["denied_keys: [\"\(keyID)\"]"]
        try await fixture.gateway.reload(denying.text)
        #expect(try await fixture.gateway.ask("/api/orders", token: token).status == 401)
        #expect(await fixture.gateway.logHas(lines: 2))
        #expect(fixture.gateway.lastReason == "unknown_kid")
        try await fixture.gateway.reload(fixture.file.text)
        #expect(try await fixture.gateway.ask("/api/orders", token: token).status == 200)
        await fixture.stop()
    }

    private static func keyID(of token: String) throws -> String? {
        struct Header: Decodable { let kid: String }
        var text = token.prefix { $0 != "." }.replacingOccurrences(of: "-", with: "+").replacingOccurrences(
            of: "_", with: "/")
        while !text.utf8.count.isMultiple(of: 4) { text += "=" }
        return try Data(base64Encoded: text).map { try JSONDecoder().decode(Header.self, from: $0).kid }
    }

    @Test func `while the key endpoint fails clients get 503 with Retry-After, not 401`() async throws {
        let fixture = try await KeyLifeFixture.start()
        await fixture.gateway.stop()
        fixture.issuer.fault(IssuerFault(of: [.jwks], status: 500))
        let orphan = try await ServedFile.start(fixture.file.text)
        let token = try fixture.token()
        for _ in 0..<20 {
            let answer = try await orphan.ask("/api/orders", token: token)
            #expect(answer.status == 503)
            #expect(
                answer.fields["Retry-After"].compactMap { Int($0) }.filter { $0 >= 1 }.count == 1, "\(answer.fields)")
            #expect(!answer.fields.contains(name: "WWW-Authenticate"))
        }
        fixture.issuer.clearFaults()
        #expect(await BearwardProcess.wait { (try? await orphan.ask("/api/orders", token: token).status) == 200 })
        await orphan.stop()
        await fixture.stop()
    }
}
