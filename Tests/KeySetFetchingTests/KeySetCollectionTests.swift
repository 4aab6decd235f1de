import JOSE
import KeySetFetching
import KeySets
import Testing

@Suite struct KeySetCollectionTests {
    private func collection(_ configurations: [KeySetConfiguration]) async -> KeySetCollection {
        await KeySetCollection(proxies: .none, logger: SampleDocuments.silentLogger).updated(to: configurations)
    }

    private func configuration(_ server: KeyServer, _ path: String, issuer: String = "https://id.example")
        -> KeySetConfiguration
    {
        SampleDocuments.configuration(.jwkSetURL(server.url(path)), issuer: issuer)
    }

    @Test func `T378: issuers with the same URL share one key set and one fetch`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let first = configuration(server, "/keys", issuer: "https://a.example")
            let second = configuration(server, "/keys", issuer: "https://b.example")
            let sets = await collection([first, second])
            await sets.firstFetches()
            #expect(sets.keySets.count == 1)
            #expect(sets.keySet(for: first) === sets.keySet(for: second))
            #expect(sets.keySet(for: configuration(server, "/other")) == nil)
            #expect(server.count() == 1)
            await sets.stop()
        }
    }

    @Test func `lines about a key set have the operator's names of its issuers, also after a reload`() async throws {
        try await KeyServer.running { server in
            let log = RecordingLog()
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let configuration = configuration(server, "/keys")
            let names = { (all: [String]) in
                var names = IssuerNames()
                for name in all { names.add(name, keySets: [configuration, configuration], realms: nil) }
                return names
            }
            let first = await KeySetCollection(proxies: .none, logger: log.logger).updated(
                to: [configuration], names: names(["staff", "partners"]))
            await first.firstFetches()
            func told(_ member: String) -> [String] {
                log.lines.filter { $0.message == "Key set fetched" }.map { $0.metadata[member].map { "\($0)" } ?? "" }
            }
            #expect(told("issuer") == ["staff, partners"])
            #expect(told("issuer_url") == ["https://id.example"])
            let second = await first.updated(to: [configuration], names: names(["people"]))
            server.answer(with: .json(SampleDocuments.keySet("b")))
            _ = await second.keySet(for: configuration)?.refresh()
            #expect(told("issuer") == ["staff, partners", "people"])
            await second.stop()
        }
    }

    @Test func `a reload keeps known key sets without a fetch, starts new ones, and stops unused ones`() async throws {
        try await KeyServer.running { server in
            for path in ["/a", "/b", "/c"] { server.answer(path, with: .json(SampleDocuments.keySet("k"))) }
            let old = await collection([configuration(server, "/a"), configuration(server, "/b")])
            await old.firstFetches()
            let dropped = try #require(old.keySet(for: configuration(server, "/a")))
            let updated = await old.updated(to: [configuration(server, "/b"), configuration(server, "/c")])
            await updated.firstFetches()
            await old.stop(keptBy: updated)
            #expect(updated.keySet(for: configuration(server, "/b")) === old.keySet(for: configuration(server, "/b")))
            #expect(["/a", "/b", "/c"].map { server.count(of: $0) } == [1, 1, 1])
            #expect(await dropped.answer(keyID: "x") == .unavailable(retryAfter: .seconds(1)))
            #expect(updated.keySet(for: configuration(server, "/b"))?.store.snapshot().canWait == true)
            await updated.stop()
        }
    }

    @Test func `a known key set with changed settings keeps its keys without a fetch`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("k")))
            let before = configuration(server, "/keys")
            let old = await collection([before])
            await old.firstFetches()
            var after = before
            after.unknownKeyIDInterval = .seconds(300)
            let updated = await old.updated(to: [after])
            await old.stop(keptBy: updated)
            let set = try #require(updated.keySet(for: after))
            #expect(set !== old.keySet(for: before))
            #expect(set.configuration.unknownKeyIDInterval == .seconds(300))
            #expect(set.store.snapshot().generation == 1)
            #expect(set.store.snapshot().keys?.keys.count == 1)
            #expect(server.count() == 1)
            await updated.stop()
        }
    }

    @Test func `T379: a key set that is down delays the others no longer than the given time`() async throws {
        try await KeyServer.running { server in
            server.answer("/good", with: .json(SampleDocuments.keySet("k")))
            server.answer("/silent", with: .silence)
            let sets = await collection([configuration(server, "/good"), configuration(server, "/silent")])
            let began = ContinuousClock.now
            await sets.firstFetches(within: .milliseconds(300))
            #expect(began.duration(to: .now) < .seconds(3))
            #expect(await eventually { sets.keySet(for: configuration(server, "/good"))?.store.snapshot().keys != nil })
            await sets.stop()
        }
    }
}
