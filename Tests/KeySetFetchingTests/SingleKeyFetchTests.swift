import Foundation
import JOSE
import KeySetFetching
import KeySets
import NIOHTTP1
import TestSupport
import Testing

/// Keys in PEM that are fetched one by one, over HTTP.
@Suite struct SingleKeyFetchTests {
    private static let ids = (0..<6).map { "00000000-0000-4000-8000-00000000000\($0)" }
    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAES2mZFoKLG2ynVeyjGvYl3DhHoj0k
        FZLO/DpWg3dt7wxGm6xEn1+MBhoj/y/+2rWHxjH4qinyrGZWNv2dvjS1Rw==
        -----END PUBLIC KEY-----

        """

    private static func configuration(_ server: KeyServer, _ path: String = "/alb") -> KeySetConfiguration {
        var configuration = SampleDocuments.configuration(.singleKeys(below: server.url(path)))
        configuration.keyLimit = 32
        configuration.documentLimit = 16 * 1024
        return configuration
    }

    private static func keySet(
        _ configuration: KeySetConfiguration, directory: KeySetDirectory? = nil, log: RecordingLog = RecordingLog()
    ) async -> RemoteKeySet {
        let set = RemoteKeySet(configuration, directory: directory, proxies: .none, logger: log.logger)
        await set.start()
        await set.firstFetchEnded()
        return set
    }

    private static func keyIDs(_ set: RemoteKeySet) -> [String] {
        set.store.snapshot().keys?.keys.compactMap(\.keyID).sorted() ?? []
    }

    @Test func `a key is fetched once, when it is first needed, from its own URL`() async throws {
        try await KeyServer.running { server in
            server.answer("/alb/\(Self.ids[0])", with: .json(Self.pem))
            let set = await Self.keySet(Self.configuration(server))
            #expect(server.requests.isEmpty)
            #expect(await set.status.isTooStale == false)
            async let first = set.answer(keyID: Self.ids[0])
            async let second = set.answer(keyID: Self.ids[0])
            #expect(await [first, second] == [.keysChanged, .keysChanged])
            #expect(Self.keyIDs(set) == [Self.ids[0]])
            #expect(server.requests.map(\.path) == ["/alb/\(Self.ids[0])"])
            #expect(await set.answer(keyID: Self.ids[0]) == .keysChanged)
            #expect(server.requests.count == 1)
            await set.stop()
        }
    }

    @Test(arguments: [HTTPResponseStatus.notFound, .gone])
    func `no document at the key's URL means that there is no such key`(status: HTTPResponseStatus) async throws {
        try await KeyServer.running { server in
            server.answer("/alb/\(Self.ids[1])", with: .status(status))
            let set = await Self.keySet(Self.configuration(server))
            #expect(await set.answer(keyID: Self.ids[1]) == .confirmedUnknown)
            #expect(await set.answer(keyID: Self.ids[1]) == .confirmedUnknown)
            #expect(server.requests.count == 1)
            #expect(await set.status.lastFailure == nil)
            await set.stop()
        }
    }

    @Test(arguments: [
        (KeyServer.Reply.status(.serviceUnavailable), "answered 503"), (.status(.forbidden), "answered 403"),
        (.status(.found, headers: ["Location": "https://other.example/"]), "redirects are not followed"),
        (.json("<html>"), "has no block in PEM"), (.json("{}"), "is JSON, not PEM"),
        (.json(pem + pem), "has 2 blocks in PEM"),
        (.json(pem.replacingOccurrences(of: "PUBLIC", with: "PRIVATE")), "has a private key"),
        (.json(String(repeating: "x", count: 20_000)), "is larger than 16 KiB"),
    ])
    func `any other answer is a failure, which says nothing about the key`(reply: KeyServer.Reply, told: String)
        async throws
    {
        try await KeyServer.running { server in
            server.answer("/alb/\(Self.ids[2])", with: reply)
            let set = await Self.keySet(Self.configuration(server))
            guard case .unavailable = await set.answer(keyID: Self.ids[2]) else {
                Issue.record("the key was judged without an answer")
                return
            }
            let failure = await set.status.lastFailure?.description ?? ""
            #expect(failure.contains(told), "\(failure)")
            #expect(Self.keyIDs(set) == [])
            await set.stop()
        }
    }

    @Test(arguments: ["A0000000-0000-4000-8000-000000000000", "../secret", "k1", ""])
    func `a key ID of another form is never sent`(keyID: String) async throws {
        try await KeyServer.running { server in
            let set = await Self.keySet(Self.configuration(server))
            #expect(await set.answer(keyID: keyID) == .confirmedUnknown)
            #expect(server.requests.isEmpty)
            await set.stop()
        }
    }

    @Test func `made-up key IDs cause five requests at once, and no more`() async throws {
        try await KeyServer.running { server in
            let set = await Self.keySet(Self.configuration(server))
            for keyID in Self.ids.prefix(5) { #expect(await set.answer(keyID: keyID) == .confirmedUnknown) }
            guard case .notAsked = await set.answer(keyID: Self.ids[5]) else {
                Issue.record("a sixth key ID was fetched")
                return
            }
            #expect(server.requests.count == 5)
            await set.stop()
        }
    }

    @Test func `keys survive a restart, also without an answer of their place`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let directory = KeySetDirectory(path: folder.path("state"))
        try await KeyServer.running { server in
            let configuration = Self.configuration(server)
            let url = "/alb/\(Self.ids[0])"
            server.answer(url, with: .json(Self.pem))
            let before = await Self.keySet(configuration, directory: directory)
            #expect(await before.answer(keyID: Self.ids[0]) == .keysChanged)
            #expect(
                await eventually {
                    await OneTimeKeySet.saved(
                        configuration, directory: directory, logger: SampleDocuments.silentLogger)?
                        .keys?.keys.count == 1
                })
            await before.stop()
            server.answer(url, with: .status(.serviceUnavailable))
            let after = await Self.keySet(configuration, directory: directory)
            #expect(await after.answer(keyID: Self.ids[0]) == .keysChanged)
            #expect(Self.keyIDs(after) == [Self.ids[0]])
            #expect(await eventually { server.count(of: url) == 2 })
            #expect(await eventually { await after.status.lastFailure != nil })
            #expect(await after.status.restoredFromDisk)
            await after.stop()
            // Another place has other keys.
            #expect(
                await OneTimeKeySet.saved(
                    Self.configuration(server, "/other"), directory: directory, logger: SampleDocuments.silentLogger)
                    == nil)
        }
    }

    @Test func `an operator's request fetches the keys in use again`() async throws {
        try await KeyServer.running { server in
            let set = await Self.keySet(Self.configuration(server))
            #expect(await set.refresh() == nil)
            #expect(server.requests.isEmpty)
            for keyID in Self.ids.prefix(2) {
                server.answer("/alb/\(keyID)", with: .json(Self.pem))
                #expect(await set.answer(keyID: keyID) == .keysChanged)
            }
            server.answer("/alb/\(Self.ids[1])", with: .status(.notFound))
            #expect(await set.refresh() == nil)
            #expect(server.requests.count == 4)
            #expect(Self.keyIDs(set) == [Self.ids[0]])
            await set.stop()
        }
    }

    @Test func `a command fetches one key, without a set`() async throws {
        try await KeyServer.running { server in
            server.answer("/alb/\(Self.ids[0])", with: .json(Self.pem))
            let configuration = Self.configuration(server)
            let found = try await OneTimeKeySet.key(Self.ids[0], configuration, proxies: .none)
            #expect(found?.keyID == Self.ids[0])
            let absent = try await OneTimeKeySet.key(Self.ids[1], configuration, proxies: .none)
            #expect(absent == nil)
            await #expect(throws: KeySetFetchFailure.self) {
                try await OneTimeKeySet.load(configuration, proxies: .none)
            }
            await #expect(throws: KeySetFetchFailure.urlInvalid(server.url("/alb"))) {
                try await OneTimeKeySet.key("../x", configuration, proxies: .none)
            }
        }
    }
}
