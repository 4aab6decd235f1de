import JOSE
import KeySetFetching
import KeySets
import NIOHTTP1
import TestSupport
import Testing
import TokenVerification

@Suite struct RealmKeySetsTests {
    /// An issuer with realms on a server of its own.
    private struct Stand {
        let server: KeyServer
        var glob = "cust-*"
        var most = 100
        var directory: KeySetDirectory?
        let log = RecordingLog()

        var configuration: RealmKeySetsConfiguration {
            get throws {
                let pattern = try #require(
                    RealmPattern(server.url("/realms/{realm}"), names: .matching(try ClaimPattern(glob))))
                return RealmKeySetsConfiguration(
                    pattern: pattern, most: most, common: SampleDocuments.configuration(.discovery(issuer: "")))
            }
        }

        /// Serves a realm with one key, whose ID is the realm's name.
        func serve(_ realm: String, keysOf other: String? = nil) {
            let issuer = server.url("/realms/\(realm)")
            server.answer(
                "/realms/\(realm)/.well-known/openid-configuration",
                with: .json(
                    SampleDocuments.metadata(issuer: issuer, jwkSetURL: server.url("/realms/\(other ?? realm)/keys"))))
            server.answer("/realms/\(realm)/keys", with: .json(SampleDocuments.keySet(realm)))
        }

        func collection(after old: KeySetCollection? = nil) async throws -> KeySetCollection {
            let old = old ?? KeySetCollection(directory: directory, proxies: .none, logger: log.logger)
            return await old.updated(to: [], realms: [try configuration])
        }

        func realms(of collection: KeySetCollection) throws -> RealmKeySets {
            try #require(collection.realms(for: try configuration))
        }

        func fetches(of realm: String) -> Int { server.count(of: "/realms/\(realm)/.well-known/openid-configuration") }
    }

    private func keyIDs(_ realms: RealmKeySets, _ realm: String) -> [String]? {
        realms.stores.realm(named: realm)?.store.snapshot().keys?.keys.compactMap(\.keyID)
    }

    @Test func `a realm gets a place once its keys were fetched, with one fetch for all that wait`() async throws {
        try await KeyServer.running { server in
            let stand = Stand(server: server)
            stand.serve("cust-a")
            let collection = try await stand.collection()
            let realms = try stand.realms(of: collection)
            #expect(realms.stores.count == 0)
            let answers = await withTaskGroup(of: KeyAnswer.self) { group in
                for _ in 0..<20 { group.addTask { await realms.answer(realm: "cust-a", keyID: "cust-a") } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers == Array(repeating: .keysChanged, count: 20))
            #expect(keyIDs(realms, "cust-a") == ["cust-a"])
            #expect(stand.fetches(of: "cust-a") == 1)
            // The realm's own key set answers from now on.
            #expect(await realms.answer(realm: "cust-a", keyID: "other") == .confirmedUnknown)
            #expect(await realms.status.places == 1)
            await collection.stop()
        }
    }

    @Test func `realms are listed in the order in which they got their places`() async throws {
        try await KeyServer.running { server in
            let stand = Stand(server: server)
            let order = ["cust-m", "cust-z", "cust-a", "cust-n"]
            for realm in order { stand.serve(realm) }
            let collection = try await stand.collection()
            let realms = try stand.realms(of: collection)
            for realm in order { #expect(await realms.answer(realm: realm, keyID: realm) == .keysChanged) }
            #expect(await realms.keySets.map(\.configuration.issuer) == order.map { server.url("/realms/\($0)") })
            await collection.stop()
        }
    }

    @Test func `a realm that the issuer does not have gets no place, and is not asked for again`() async throws {
        try await KeyServer.running { server in
            let stand = Stand(server: server)
            let collection = try await stand.collection()
            let realms = try stand.realms(of: collection)
            for _ in 0..<3 { #expect(await realms.answer(realm: "cust-x", keyID: "k") == .confirmedUnknown) }
            #expect(stand.fetches(of: "cust-x") == 1)
            #expect(realms.stores.count == 0)
            #expect(await realms.status.counters.absent == 1)
            await collection.stop()
        }
    }

    @Test func `a realm whose name the pattern does not accept is never asked for`() async throws {
        try await KeyServer.running { server in
            let stand = Stand(server: server)
            let collection = try await stand.collection()
            let realms = try stand.realms(of: collection)
            for name in ["acme", "cust-", "cust-a/..", "../cust-a", "cust-%2e", ""] {
                #expect(await realms.answer(realm: name, keyID: "k") == .unavailable(retryAfter: .seconds(1)))
            }
            #expect(server.requests.isEmpty)
            await collection.stop()
        }
    }

    @Test func `keys elsewhere than below the realm's own address are refused`() async throws {
        try await KeyServer.running { server in
            let stand = Stand(server: server)
            stand.serve("cust-a", keysOf: "cust-b")
            stand.serve("cust-b")
            let collection = try await stand.collection()
            let realms = try stand.realms(of: collection)
            #expect(await realms.answer(realm: "cust-a", keyID: "cust-b") == .confirmedUnknown)
            #expect(server.count(of: "/realms/cust-b/keys") == 0)
            #expect(await realms.status.counters.absent == 1)
            await collection.stop()
        }
    }

    @Test func `metadata of another realm is refused`() async throws {
        try await KeyServer.running { server in
            let stand = Stand(server: server)
            server.answer(
                "/realms/cust-A/.well-known/openid-configuration",
                with: .json(
                    SampleDocuments.metadata(
                        issuer: server.url("/realms/cust-a"), jwkSetURL: server.url("/realms/cust-A/keys"))))
            let collection = try await stand.collection()
            let answer = try await stand.realms(of: collection).answer(realm: "cust-A", keyID: "k")
            #expect(answer == .confirmedUnknown)
            #expect(server.count(of: "/realms/cust-A/keys") == 0)
            await collection.stop()
        }
    }

    @Test func `an issuer that cannot answer says nothing about the realm`() async throws {
        try await KeyServer.running { server in
            let stand = Stand(server: server)
            server.answer(
                "/realms/cust-a/.well-known/openid-configuration", with: .status(.serviceUnavailable))
            let collection = try await stand.collection()
            let realms = try stand.realms(of: collection)
            guard case .unavailable = await realms.answer(realm: "cust-a", keyID: "cust-a") else {
                Issue.record("answered although the issuer could not")
                return
            }
            stand.serve("cust-a")
            #expect(await realms.answer(realm: "cust-a", keyID: "cust-a") == .keysChanged)
            await collection.stop()
        }
    }

    @Test func `T545: unknown realms share one allowance, and realms with a place go on`() async throws {
        try await KeyServer.running { server in
            let stand = Stand(server: server)
            stand.serve("cust-a")
            let collection = try await stand.collection()
            let realms = try stand.realms(of: collection)
            #expect(await realms.answer(realm: "cust-a", keyID: "cust-a") == .keysChanged)
            let before = server.requests.count
            var answers: [KeyAnswer] = []
            for number in 0..<200 { answers.append(await realms.answer(realm: "cust-m\(number)", keyID: "k")) }
            let notAsked = answers.count { if case .notAsked = $0 { true } else { false } }
            let asked = answers.count { $0 == .confirmedUnknown }
            #expect(asked + notAsked == 200)
            #expect((RealmAdmissions.usualBurst...RealmAdmissions.usualBurst + 2).contains(asked))
            // Each unknown realm is asked for at its two possible places of metadata.
            #expect(server.requests.count - before == 2 * asked)
            #expect(await realms.answer(realm: "cust-a", keyID: "cust-a") == .keysChanged)
            await collection.stop()
        }
    }

    @Test func `when every place is taken, further realms are not asked for, which is logged once`() async throws {
        try await KeyServer.running { server in
            let stand = Stand(server: server, most: 2)
            for realm in ["cust-a", "cust-b", "cust-c"] { stand.serve(realm) }
            let collection = try await stand.collection()
            let realms = try stand.realms(of: collection)
            for realm in ["cust-a", "cust-b"] {
                #expect(await realms.answer(realm: realm, keyID: realm) == .keysChanged)
            }
            for _ in 0..<3 {
                #expect(await realms.answer(realm: "cust-c", keyID: "cust-c") == .notAsked(retryAfter: .seconds(60)))
            }
            #expect(stand.fetches(of: "cust-c") == 0)
            #expect(
                stand.log.count(of: "Tokens of further realms are answered 503: all of `most` places are taken") == 1)
            await collection.stop()
        }
    }

    @Test func `realms with saved keys have their places after a restart, even if the issuer is down`() async throws {
        let folder = try TemporaryFolder()
        try await KeyServer.running { server in
            var stand = Stand(server: server)
            stand.directory = KeySetDirectory(path: folder.path("state"))
            for realm in ["cust-a", "cust-b"] { stand.serve(realm) }
            let before = try await stand.collection()
            for realm in ["cust-a", "cust-b"] {
                #expect(try await stand.realms(of: before).answer(realm: realm, keyID: realm) == .keysChanged)
            }
            await before.stop()
            for realm in ["cust-a", "cust-b"] {
                server.answer(
                    "/realms/\(realm)/.well-known/openid-configuration", with: .status(.serviceUnavailable))
            }
            let after = try await stand.collection()
            let realms = try stand.realms(of: after)
            #expect(keyIDs(realms, "cust-a") == ["cust-a"])
            #expect(keyIDs(realms, "cust-b") == ["cust-b"])
            await after.stop()
        }
    }

    @Test func `a reload keeps the realms that the new file still accepts, without a fetch`() async throws {
        try await KeyServer.running { server in
            var stand = Stand(server: server)
            for realm in ["cust-a", "cust-b"] { stand.serve(realm) }
            let old = try await stand.collection()
            let before = try stand.realms(of: old)
            for realm in ["cust-a", "cust-b"] {
                #expect(await before.answer(realm: realm, keyID: realm) == .keysChanged)
            }
            let same = try await stand.collection(after: old)
            await old.stop(keptBy: same)
            #expect(try stand.realms(of: same) === before)
            let index = try #require(before.stores.realm(named: "cust-a")?.index)
            stand.glob = "*-a"
            let narrowed = try await stand.collection(after: same)
            await same.stop(keptBy: narrowed)
            let after = try stand.realms(of: narrowed)
            #expect(keyIDs(after, "cust-a") == ["cust-a"])
            #expect(keyIDs(after, "cust-b") == nil)
            #expect(after.stores.realm(named: "cust-a")?.index != index)
            #expect(stand.fetches(of: "cust-a") == 1)
            #expect(await before.answer(realm: "cust-b", keyID: "x") == .unavailable(retryAfter: .seconds(1)))
            await narrowed.stop()
        }
    }
}
