import JOSE
import KeySetFetching
import KeySets
import NIOHTTP1
import Testing
import TokenVerification

@Suite struct RemoteKeySetTests {
    private func keySet(_ configuration: KeySetConfiguration) -> RemoteKeySet {
        RemoteKeySet(configuration, proxies: .none, logger: SampleDocuments.silentLogger)
    }

    private func keyIDs(_ set: RemoteKeySet) -> [String] {
        set.store.snapshot().keys?.keys.compactMap(\.keyID) ?? []
    }

    /// Runs a key set at the server's `/keys` and stops it at the end.
    private func withKeySet(
        _ server: KeyServer,
        deadline: Duration = .seconds(5),
        _ body: (RemoteKeySet) async throws -> Void,
    ) async throws {
        let set = keySet(SampleDocuments.configuration(.jwkSetURL(server.url()), deadline: deadline))
        await set.start()
        try await body(set)
        await set.stop()
    }

    @Test func `requests wait for the first keys and find them`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            try await withKeySet(server) { set in
                #expect(await set.answer(keyID: "a") == .keysChanged)
                #expect(keyIDs(set) == ["a"])
                await set.firstFetchEnded()
                let status = await set.status
                #expect(status.usableKeyCount == 1)
                #expect(status.lastFailure == nil)
                #expect(status.firstFetchHasEnded && !status.isTooStale)
            }
        }
    }

    @Test func `a stopped key set does not report a successful refresh`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let set = keySet(SampleDocuments.configuration(.jwkSetURL(server.url())))
            await set.start()
            await set.firstFetchEnded()
            await set.stop()
            #expect(await set.refresh() == .stopped(source: server.url()))
        }
    }

    @Test func `a key set that is down does not affect other key sets of the issuer`() async throws {
        try await KeyServer.running { server in
            server.answer("/a", with: .json(SampleDocuments.keySet("a")))
            server.answer("/b", with: .status(.serviceUnavailable))
            let sets = ["/a", "/b"].map { keySet(SampleDocuments.configuration(.jwkSetURL(server.url($0)))) }
            for set in sets { await set.start() }
            #expect(await RemoteKeySet.answer(keyID: "a", fromAnyOf: sets) == .keysChanged)
            #expect(sets.map(keyIDs) == [["a"], []])
            for set in sets { await set.firstFetchEnded() }
            // The key may be in the set that is down.
            guard case .unavailable = await RemoteKeySet.answer(keyID: "b", fromAnyOf: sets) else {
                Issue.record("answered for a set that is down")
                return
            }
            server.answer("/b", with: .json(SampleDocuments.keySet("b")))
            #expect(await eventually { keyIDs(sets[1]) == ["b"] })
            #expect(await RemoteKeySet.answer(keyID: "b", fromAnyOf: sets) == .keysChanged)
            #expect(await RemoteKeySet.answer(keyID: "c", fromAnyOf: sets) == .confirmedUnknown)
            for set in sets { await set.stop() }
        }
    }

    @Test func `an operator's refresh fetches the keys at once, and reports the result`() async throws {
        try await KeyServer.running { server in
            let issuer = server.url("")
            let place = "/.well-known/openid-configuration"
            server.answer(place, with: .json(SampleDocuments.metadata(issuer: issuer, jwkSetURL: server.url())))
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let set = keySet(SampleDocuments.configuration(.discovery(issuer: issuer), issuer: issuer))
            await set.start()
            await set.firstFetchEnded()
            // The keys moved: the learnt address is discovered again.
            server.answer(place, with: .json(SampleDocuments.metadata(issuer: issuer, jwkSetURL: server.url("/moved"))))
            server.answer("/moved", with: .json(SampleDocuments.keySet("b")))
            #expect(await set.refresh() == nil)
            #expect(keyIDs(set) == ["b"])
            server.answer("/moved", with: .status(.internalServerError))
            #expect(await set.refresh() == .unexpectedStatus(url: server.url("/moved"), 500, retryAfter: nil))
            #expect(keyIDs(set) == ["b"])
            await set.stop()
        }
    }

    @Test func `an operator's refresh does not count a fetch that was already under way`() async throws {
        try await KeyServer.running { server in
            server.answer(inTurn: [.json(SampleDocuments.keySet("a")), .json(SampleDocuments.keySet("b"))])
            try await withKeySet(server) { set in
                #expect(await set.refresh() == nil)
                #expect(keyIDs(set) == ["b"])
                #expect(server.count() == 2)
            }
        }
    }

    @Test func `F01: a server that is down makes keys unavailable, and they come when it is up`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .status(.serviceUnavailable))
            try await withKeySet(server) { set in
                await set.firstFetchEnded()
                guard case .unavailable = await set.answer(keyID: "a") else {
                    Issue.record("answered without keys")
                    return
                }
                #expect(await set.status.lastFailure == .unexpectedStatus(url: server.url(), 503, retryAfter: nil))
                #expect(set.store.snapshot().isTooStale(at: .init(seconds: 0)))
                server.answer(with: .json(SampleDocuments.keySet("a")))
                #expect(await eventually { keyIDs(set) == ["a"] })
                #expect(await set.status.lastFailure == nil)
            }
        }
    }

    @Test func `T361: a request with a newly added key causes a fetch`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            try await withKeySet(server) { set in
                await set.firstFetchEnded()
                server.answer(with: .json(SampleDocuments.keySet("a", "b")))
                #expect(await set.answer(keyID: "b") == .keysChanged)
                #expect(keyIDs(set) == ["a", "b"])
                #expect(server.count() == 2)
            }
        }
    }

    @Test func `T362: many unknown key IDs cause five fetches, and no request gets a wrong answer`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            try await withKeySet(server) { set in
                await set.firstFetchEnded()
                let answers = await withTaskGroup(of: KeyAnswer.self) { group in
                    for index in 0..<500 { group.addTask { await set.answer(keyID: "random-\(index)") } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.count == 500)
                #expect(answers.contains(.confirmedUnknown))
                for answer in answers where answer != .confirmedUnknown {
                    guard case .notAsked(let retryAfter) = answer else {
                        Issue.record("\(answer)")
                        return
                    }
                    #expect(retryAfter >= .seconds(1) && retryAfter <= .seconds(15))
                }
                #expect(server.count() <= 6)
            }
        }
    }

    @Test(arguments: [
        KeyServer.Reply.status(.internalServerError), .json("{}"), .json(#"{"keys":[]}"#), .json("<html>"),
        .status(.movedPermanently),
    ])
    func `F02, F07, F12: a failed or invalid response keeps the keys`(reply: KeyServer.Reply) async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            try await withKeySet(server) { set in
                await set.firstFetchEnded()
                server.answer(with: reply)
                guard case .unavailable = await set.answer(keyID: "b") else {
                    Issue.record("an answer without a good document")
                    return
                }
                #expect(keyIDs(set) == ["a"])
                #expect(set.store.snapshot().generation == 1)
                #expect(!set.store.snapshot().lastFetchSucceeded)
                #expect(await set.status.lastFailure != nil)
            }
        }
    }

    @Test func `a fetch also settles key IDs of requests that were told to retry`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            try await withKeySet(server) { set in
                await set.firstFetchEnded()
                for name in ["a", "b"] { set.store.noteUnasked(name) }
                #expect(await set.refresh() == nil)
                #expect(set.store.snapshot().refused.contains("b"))
                #expect(!set.store.snapshot().refused.contains("a"))
                #expect(await set.answer(keyID: "b") == .confirmedUnknown)
                #expect(server.count() == 2)
                server.answer(with: .json(SampleDocuments.keySet("a", "b")))
                #expect(await set.refresh() == nil)
                #expect(await set.answer(keyID: "b") == .keysChanged)
                #expect(!set.store.snapshot().refused.contains("b"))
            }
        }
    }

    @Test func `T357: a key that vanished from the document is unusable after the fetch`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a", "b")))
            try await withKeySet(server) { set in
                await set.firstFetchEnded()
                server.answer(with: .json(SampleDocuments.keySet("a")))
                #expect(await set.answer(keyID: "c") == .confirmedUnknown)
                #expect(keyIDs(set) == ["a"])
                #expect(set.store.snapshot().generation == 2)
            }
        }
    }

    @Test func `an ETag is sent back, and 304 keeps the keys (T372)`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a"), headers: ["ETag": #""v1""#]))
            try await withKeySet(server) { set in
                await set.firstFetchEnded()
                server.answer(with: .status(.notModified))
                #expect(await set.answer(keyID: "b") == .confirmedUnknown)
                #expect(server.requests.map { $0.headers.first(name: "If-None-Match") } == [nil, #""v1""#])
                #expect(keyIDs(set) == ["a"])
                #expect(set.store.snapshot().lastFetchSucceeded)
            }
        }
    }

    @Test func `F04: no request waits longer than the deadline for a silent server`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .silence)
            try await withKeySet(server, deadline: .milliseconds(300)) { set in
                let began = ContinuousClock.now
                guard case .unavailable = await set.answer(keyID: "a") else {
                    Issue.record("an answer from a silent server")
                    return
                }
                #expect(began.duration(to: .now) < .seconds(3))
            }
        }
    }

    @Test func `a cancelled request stops waiting at once, and the others are still answered`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .silence)
            try await withKeySet(server) { set in
                let leaving = Task { await set.answer(keyID: "a") }
                let gone = Task { await set.firstFetchEnded() }
                #expect(await eventually { server.count() == 1 })
                leaving.cancel()
                gone.cancel()
                #expect(await leaving.value == .unavailable(retryAfter: .seconds(1)))
                await gone.value
            }
        }
    }

    @Test func `T377: a stop cancels the fetch under way and answers waiting requests`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .silence)
            let set = keySet(SampleDocuments.configuration(.jwkSetURL(server.url())))
            await set.start()
            let waiting = Task { await set.answer(keyID: "a") }
            #expect(await eventually { server.count() == 1 })
            let began = ContinuousClock.now
            await set.stop()
            #expect(await waiting.value == .unavailable(retryAfter: .seconds(1)))
            await set.firstFetchEnded()
            #expect(began.duration(to: .now) < .seconds(3))
            #expect(await set.answer(keyID: "a") == .unavailable(retryAfter: .seconds(1)))
        }
    }

    @Test func `a jwks_uri learnt by discovery is used without new discovery while it works`() async throws {
        try await KeyServer.running { server in
            let place = "/.well-known/openid-configuration"
            server.answer(place, with: .json(SampleDocuments.metadata(issuer: server.url(""), jwkSetURL: server.url())))
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let set = keySet(SampleDocuments.configuration(.discovery(issuer: server.url("")), issuer: server.url("")))
            await set.start()
            await set.firstFetchEnded()
            #expect(await set.answer(keyID: "b") == .confirmedUnknown)
            #expect(server.count(of: place) == 1)
            server.answer(with: .status(.notFound))
            _ = await set.answer(keyID: "c")
            server.answer(
                place, with: .json(SampleDocuments.metadata(issuer: server.url(""), jwkSetURL: server.url("/moved"))))
            server.answer("/moved", with: .json(SampleDocuments.keySet("b")))
            #expect(await eventually { keyIDs(set) == ["b"] })
            #expect(server.count(of: place) == 2)
            await set.stop()
        }
    }
}
