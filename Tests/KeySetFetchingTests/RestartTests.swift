import Foundation
import JOSE
import KeySetFetching
import KeySets
import Logging
import NIOHTTP1
import Testing
import TokenVerification

@Suite struct RestartTests {
    private func keyIDs(_ set: RemoteKeySet) -> [String] {
        set.store.snapshot().keys?.keys.compactMap(\.keyID).sorted() ?? []
    }

    private func withFixture(
        retention: Duration = .zero,
        _ body: (KeyServer, SavedSetFixture) async throws -> Void,
    ) async throws {
        try await KeyServer.running { server in
            try await body(server, SavedSetFixture(server) { $0.retention = retention })
        }
    }

    @Test func `a gateway restarted while the issuer is down serves the saved keys`() async throws {
        try await withFixture { server, fixture in
            server.answer(with: .json(SampleDocuments.keySet("a", "b")))
            let before = fixture.keySet()
            await before.start()
            #expect(await eventually { fixture.mode(of: fixture.file) != nil })
            let fetchedAt = await before.status.lastSuccess
            await before.stop()

            server.answer(with: .status(.serviceUnavailable))
            let after = fixture.keySet()
            await after.start()
            #expect(await after.answer(keyID: "a") == .keysChanged)
            #expect(keyIDs(after) == ["a", "b"])
            #expect(await eventually { await after.status.counters.fetchFailures > 0 })
            guard case .unavailable = await after.answer(keyID: "unknown") else {
                Issue.record("an unknown key ID was judged without the issuer")
                return
            }
            let status = await after.status
            #expect(status.restoredFromDisk && !status.isTooStale)
            #expect(status.lastSuccess == fetchedAt)
            #expect(fixture.log.count(of: "Key set restored from disk", at: .notice) == 1)
            await after.stop()
        }
    }

    @Test func `a restored key set is fetched again at once, however fresh it is`() async throws {
        try await withFixture { server, fixture in
            try fixture.leave("a", secondsAgo: 1)
            server.answer(with: .json(SampleDocuments.keySet("b")))
            let set = fixture.keySet()
            await set.start()
            #expect(await eventually { keyIDs(set) == ["b"] })
            #expect(await !set.status.restoredFromDisk)
            #expect(server.count() == 1)
            await set.stop()
        }
    }

    @Test func `restored keys are usable at once even if the issuer is silent`() async throws {
        try await withFixture { server, fixture in
            try fixture.leave("a", secondsAgo: 3600)
            server.answer(with: .silence)
            let set = fixture.keySet()
            let began = ContinuousClock.now
            await set.start()
            #expect(await set.answer(keyID: "a") == .keysChanged)
            await set.firstFetchEnded()
            #expect(began.duration(to: .now) < .seconds(3))
            let age = try #require(await set.status.age)
            #expect(age >= .seconds(3600) && age < .seconds(3700))
            await set.stop()
        }
    }

    @Test func `a saved key set past the stale limit serves no request`() async throws {
        try await withFixture { server, fixture in
            try fixture.leave("a", secondsAgo: 86_401)
            server.answer(with: .status(.serviceUnavailable))
            let set = fixture.keySet()
            await set.start()
            await set.firstFetchEnded()
            guard case .unavailable = await set.answer(keyID: "a") else {
                Issue.record("a stale key was served")
                return
            }
            #expect(await set.status.isTooStale)
            await set.stop()
        }
    }

    @Test func `a retained key is restored only for the rest of its retention`()
        async throws
    {
        try await withFixture(retention: .seconds(86_400)) { server, fixture in
            try fixture.leave("a", secondsAgo: 10, kept: [("living", 80_000), ("over", 86_400)])
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let set = fixture.keySet()
            await set.start()
            #expect(await set.answer(keyID: "living") == .keysChanged)
            #expect(await eventually { await !set.status.restoredFromDisk })
            #expect(keyIDs(set) == ["a", "living"])
            await set.stop()
        }
    }

    @Test func `a key set collection passes its directory to its key sets and its successor`() async throws {
        try await KeyServer.running { server in
            let fixture = try SavedSetFixture(server)
            defer { withExtendedLifetime(fixture) {} }
            let second = SampleDocuments.configuration(.jwkSetURL(server.url("/other")))
            for path in ["/keys", "/other"] { server.answer(path, with: .json(SampleDocuments.keySet("a"))) }
            let none = KeySetCollection(
                directory: fixture.directory, proxies: .none, logger: SampleDocuments.silentLogger)
            let first = await none.updated(to: [fixture.configuration])
            #expect(await eventually { fixture.mode(of: fixture.file) != nil })
            let updated = await first.updated(to: [second])
            await first.stop(keptBy: updated)
            let name = try #require(second.identity.fileName)
            #expect(await eventually { fixture.mode(of: "\(fixture.directory.path)/\(name)") != nil })
            await updated.stop()
        }
    }

    @Test func `a reload that changes a limit keeps retained keys, without a fetch`() async throws {
        try await withFixture(retention: .seconds(86_400)) { server, fixture in
            server.answer(inTurn: [.json(SampleDocuments.keySet("a", "b")), .json(SampleDocuments.keySet("a"))])
            let old = await KeySetCollection(proxies: .none, logger: SampleDocuments.silentLogger)
                .updated(to: [fixture.configuration])
            await old.firstFetches()
            let known = try #require(old.keySet(for: fixture.configuration))
            #expect(await known.answer(keyID: "unknown") == .confirmedUnknown)
            var changed = fixture.configuration
            changed.keyLimit = 100
            let updated = await old.updated(to: [changed])
            await old.stop(keptBy: updated)
            let set = try #require(updated.keySet(for: changed))
            #expect(keyIDs(set) == ["a", "b"])
            #expect(await set.succession.saved?.kept.map(\.lastSeen) == known.succession.saved?.kept.map(\.lastSeen))
            #expect(await set.status.counters.fetches == 2)
            #expect(server.count() == 2)
            await updated.stop()
        }
    }

    // MARK: Commands that look once

    @Test func `explain uses saved keys if they are usable, without a fetch`() async throws {
        try await withFixture { server, fixture in
            try fixture.leave("a", secondsAgo: 3600)
            let snapshot = try await OneTimeKeySet.load(
                fixture.configuration, directory: fixture.directory, proxies: .none, logger: fixture.log.logger)
            #expect(snapshot.keys?.keys.compactMap(\.keyID) == ["a"])
            #expect(!snapshot.isTooStale(at: SavedSetFixture.past(0)))
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `explain fetches keys if no usable ones are saved`() async throws {
        try await withFixture { server, fixture in
            server.answer(with: .json(SampleDocuments.keySet("b")))
            for secondsAgo in [86_400.0, -400] {
                try fixture.leave("a", secondsAgo: secondsAgo)
                #expect(
                    await OneTimeKeySet.saved(
                        fixture.configuration, directory: fixture.directory, logger: fixture.log.logger) == nil)
                let snapshot = try await OneTimeKeySet.load(
                    fixture.configuration, directory: fixture.directory, proxies: .none, logger: fixture.log.logger)
                #expect(snapshot.keys?.keys.compactMap(\.keyID) == ["b"])
            }
            #expect(server.count() == 2)
            let bare = try await OneTimeKeySet.load(
                fixture.configuration, directory: nil, proxies: .none, logger: fixture.log.logger)
            #expect(bare.keys?.keys.compactMap(\.keyID) == ["b"])
        }
    }
}
