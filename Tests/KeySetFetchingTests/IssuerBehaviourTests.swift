import JOSE
import KeySetFetching
import KeySets
import Logging
import NIOHTTP1
import Testing
import TokenVerification

/// Behaviour of real issuers with their key sets, against a real server.
@Suite struct IssuerBehaviourTests {
    private func keyIDs(_ set: RemoteKeySet) -> [String] {
        set.store.snapshot().keys?.keys.compactMap(\.keyID).sorted() ?? []
    }

    /// Runs a key set at the server's `/keys`, after its first fetch.
    private func withKeySet(
        _ server: KeyServer,
        _ change: (inout KeySetConfiguration) -> Void = { _ in },
        _ body: (RemoteKeySet) async throws -> Void,
    ) async throws {
        var configuration = SampleDocuments.configuration(.jwkSetURL(server.url()))
        change(&configuration)
        let set = RemoteKeySet(configuration, proxies: .none, logger: SampleDocuments.silentLogger)
        await set.start()
        await set.firstFetchEnded()
        try await body(set)
        await set.stop()
    }

    /// Seconds from the last successful fetch to the next fetch.
    private func pause(of set: RemoteKeySet) async throws -> Double {
        let status = await set.status
        return try #require(status.nextFetch).seconds - #require(status.lastSuccess).seconds
    }

    // MARK: Freshness

    @Test(
        arguments: [
            (["no-cache, max-age=0, must-revalidate"], nil, 300.0),
            (["no-cache"], nil, 300),
            (["no-store, no-cache, must-revalidate"], nil, 300),
            ([], nil, 300),
            (["max-age=300, must-revalidate"], nil, 300),
            (["public, max-age=24873, must-revalidate, no-transform"], "5059", 19_814),
            (["public, max-age=24873"], "24873", 300),
            (["max-age=2592000"], nil, 21_600),
        ] as [([String], String?, Double)])
    func `the next fetch is due after 80 % of the freshness, between 5 minutes and 6 hours (T372)`(
        cacheControl: [String], age: String?, freshness: Double
    ) async throws {
        try await KeyServer.running { server in
            var headers = HTTPHeaders(cacheControl.map { ("Cache-Control", $0) })
            if let age { headers.add(name: "Age", value: age) }
            server.answer(with: .json(SampleDocuments.keySet("a"), headers: headers))
            try await withKeySet(server) { set in
                let pause = try await pause(of: set)
                #expect(pause >= freshness * 0.8 * 0.9 - 1 && pause <= freshness * 0.8 * 1.1 + 1)
            }
        }
    }

    @Test func `Logto's max-age=0 causes no fetch per request, and its ETag is answered with 304`() async throws {
        try await KeyServer.running { server in
            let headers: HTTPHeaders = ["Cache-Control": "no-cache, max-age=0, must-revalidate"]
            server.answer(with: .json(SampleDocuments.keySet("a"), headers: headers).tagged(#""logto""#))
            try await withKeySet(server) { set in
                for _ in 0..<200 { #expect(await set.answer(keyID: "a") == .keysChanged) }
                #expect(server.count() == 1)
                #expect(await set.answer(keyID: "stray") == .confirmedUnknown)
                #expect(await set.answer(keyID: "stray") == .confirmedUnknown)
                #expect(server.requests.map { $0.headers.first(name: "If-None-Match") } == [nil, #""logto""#])
                #expect(await set.status.counters.notModified == 1)
                let pause = try await pause(of: set)
                #expect(pause >= 215)
                server.answer(with: .json(SampleDocuments.keySet("rotated"), headers: headers).tagged(#""next""#))
                #expect(await set.answer(keyID: "rotated") == .keysChanged)
                #expect(keyIDs(set) == ["rotated"])
            }
        }
    }

    // MARK: Documents

    @Test func `keys missing from a later document stay usable if they are retained, and disappear otherwise`()
        async throws
    {
        let entries = [SampleDocuments.key("a"), SampleDocuments.key("b", material: 1)]
        let (both, one) = (SampleDocuments.keySet(entries: entries), SampleDocuments.keySet(entries: [entries[1]]))
        for (retention, expected) in [(Duration.seconds(86_400), ["a", "b"]), (.zero, ["b"])] {
            try await KeyServer.running { server in
                server.answer(inTurn: [.json(both), .json(one)])
                try await withKeySet(server, { $0.retention = retention }) { set in
                    #expect(keyIDs(set) == ["a", "b"])
                    #expect(await set.answer(keyID: "unknown") == .confirmedUnknown)
                    #expect(keyIDs(set) == expected)
                    let fetches = server.count()
                    #expect(await set.answer(keyID: "a") == (retention > .zero ? .keysChanged : .confirmedUnknown))
                    #expect(server.count() == (retention > .zero ? fetches : fetches + 1))
                }
            }
        }
    }

    @Test func `all keys of an issuer that alternates between documents stay usable with retention (F13)`() async throws
    {
        try await KeyServer.running { server in
            let flaps = ["a", "b", "c", "d"].map {
                KeyServer.Reply.json(SampleDocuments.keySet(entries: [SampleDocuments.key($0)]))
            }
            server.answer(inTurn: flaps)
            let change: (inout KeySetConfiguration) -> Void = {
                $0.retention = .seconds(3600)
                $0.refreshInterval = .milliseconds(50)
                $0.freshnessLimit = .milliseconds(50)
            }
            try await withKeySet(server, change) { set in
                #expect(await eventually { server.count() > 5 })
                #expect(keyIDs(set) == ["a", "b", "c", "d"])
                #expect(await set.status.counters.keysRemoved == 0)
                #expect(await set.status.counters.unknownKeyIDFetches == 0)
            }
        }
    }

    @Test(arguments: [
        "{}", #"{"keys":[]}"#, #"{"keys":{}}"#, "[]", "null", "", "<html>", "{\"keys\":[",
        "{\"keys\":[{\"kty\":\"oct\"}]}",
    ])
    func `an empty or invalid document keeps the last good key set, and confirms no key ID as unknown (T356)`(
        junk: String
    )
        async throws
    {
        try await KeyServer.running { server in
            server.answer(inTurn: [.json(SampleDocuments.keySet("a")), .json(junk)])
            try await withKeySet(server) { set in
                guard case .unavailable = await set.answer(keyID: "b") else {
                    Issue.record("junk decided about a key ID")
                    return
                }
                #expect(keyIDs(set) == ["a"])
                #expect(await set.answer(keyID: "a") == .keysChanged)
                #expect(await set.status.counters.fetchFailures >= 1)
            }
        }
    }

    @Test func `an invalid key, a secret, or two keys with one ID never invalidate the rest of the set`() async throws {
        let entries = [
            SampleDocuments.key("good"), #"{"kty":"oct","kid":"secret","k":"AAAA"}"#,
            #"{"kty":"AKP","kid":"new","pub":"AAAA"}"#,
            SampleDocuments.key("twice"), SampleDocuments.key("twice", material: 1), "7",
            #"{"kty":"RSA","use":"enc","kid":"enc","n":"AQAB","e":"AQAB"}"#,
        ]
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet(entries: entries)))
            try await withKeySet(server) { set in
                #expect(keyIDs(set) == ["good"])
                let reasons = await set.status.skippedKeys.map(\.reason)
                #expect(
                    reasons == [
                        .symmetricKey, .keyTypeUnknown, .duplicateKeyID, .duplicateKeyID, .notObject, .notForSignatures,
                    ])
                for keyID in ["secret", "twice"] { #expect(await set.answer(keyID: keyID) == .confirmedUnknown) }
            }
        }
    }

    @Test func `an unused or unusually written key is logged once, whatever else changes`()
        async throws
    {
        let good = SampleDocuments.key("good")
        let bad = #"{"kty":"RSA","kid":"cert","x5c":["MIIC"]}"#
        let encryption = #"{"kty":"RSA","use":"enc","kid":"enc","n":"AQAB","e":"AQAB"}"#
        let secret = #"{"kty":"oct","kid":"secret","k":"AAAA"}"#
        let padded = SampleDocuments.key("padded", material: 1).replacing(#"","y":"#, with: #"=","y":"#)
        try await KeyServer.running { server in
            server.answer(inTurn: [
                .json(SampleDocuments.keySet(entries: [good, bad, encryption])),
                // The same keys are used, in another order.
                .json(SampleDocuments.keySet(entries: [encryption, bad, good, secret])),
                .json(SampleDocuments.keySet(entries: [encryption, bad, good, secret, padded])),
                .json(SampleDocuments.keySet(entries: [padded, good])),
            ])
            let log = RecordingLog()
            let set = RemoteKeySet(
                SampleDocuments.configuration(.jwkSetURL(server.url())), proxies: .none, logger: log.logger)
            await set.start()
            await set.firstFetchEnded()
            #expect(log.count(of: "Key skipped") == 1)
            #expect(
                log.error(of: "Key skipped")
                    == "it has a certificate (`x5c`) in place of the key itself, and certificates are not read")
            #expect(log.count(of: "Key skipped", at: .notice) == 1)
            #expect(await set.refresh() == nil)
            #expect(log.count(of: "Key set publishes a secret key", at: .error) == 1)
            for _ in 0..<2 { #expect(await set.refresh() == nil) }
            #expect(log.count(of: "Key skipped") == 1)
            #expect(log.count(of: "Key skipped", at: .notice) == 1)
            #expect(log.count(of: "Key set publishes a secret key", at: .error) == 1)
            #expect(log.count(of: "Key is written in an unusual way") == 1)
            #expect(
                log.error(of: "Key is written in an unusual way") == "it is used, but is written with padded base64")
            #expect(keyIDs(set) == ["good", "padded"])
            await set.stop()
        }
    }

    @Test(arguments: ["MjAyNC0wMQ==", "a/b+c=", "../../etc/passwd", "kid with space", "\u{1F511}", "%2F"])
    func `a key ID is treated as opaque text`(keyID: String) async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet(entries: [SampleDocuments.key(keyID)])))
            try await withKeySet(server) { set in
                #expect(await set.answer(keyID: keyID) == .keysChanged)
                guard case .found = set.store.snapshot().keys?.key(keyID: keyID, algorithm: .exact(.es256)) else {
                    Issue.record("the key was not found")
                    return
                }
                #expect(server.count() == 1)
            }
        }
    }

    @Test func `an RSA key without alg is found for every RSA algorithm`() async throws {
        // Only the shape matters: a modulus of 2,048 bits that nobody can sign for.
        let modulus = Base64URL.encode([0xC1] + [UInt8](repeating: 0x5A, count: 254) + [0x01])
        let entry =
            #"{"kty":"RSA","use":"sig","kid":"entra","n":"\#(modulus)","e":"AQAB","issuer":"https://login.example/{tenantid}"}"#
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet(entries: [entry])))
            try await withKeySet(server) { set in
                let keys = try #require(set.store.snapshot().keys)
                for algorithm in [SignatureAlgorithm.rs256, .rs512, .ps256] {
                    guard case .found(let key, algorithm) = keys.key(keyID: "entra", algorithm: .exact(algorithm))
                    else {
                        Issue.record("not found for \(algorithm)")
                        return
                    }
                    #expect(key.issuer == "https://login.example/{tenantid}")
                }
            }
        }
    }

    // MARK: Floods and outages

    @Test func `a flood of unknown key IDs causes no more fetches than the allowance (T362)`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            try await withKeySet(server) { set in
                var confirmed = 0
                for index in 0..<2000 {
                    switch await set.answer(keyID: "random-\(index)") {
                    case .confirmedUnknown: confirmed += 1
                    case .notAsked(let retryAfter): #expect(retryAfter >= .seconds(1) && retryAfter <= .seconds(15))
                    case .keysChanged, .unavailable: Issue.record("a name that nobody has")
                    }
                }
                // Five saved fetches; one more is added if the test takes fifteen seconds.
                #expect((5...6).contains(confirmed))
                #expect(server.count() == 1 + confirmed)
                let counters = await set.status.counters
                #expect(counters.unknownKeyIDFetches == UInt64(confirmed))
                #expect(counters.unknownKeyIDsNotAsked == UInt64(2000 - confirmed))
                #expect(counters.unknownKeyIDsRefused == 0)
                #expect(await set.answer(keyID: "a") == .keysChanged)
            }
        }
    }

    @Test func `while the key endpoint is down no key ID is confirmed as unknown`() async throws {
        try await KeyServer.running { server in
            server.answer(inTurn: [.json(SampleDocuments.keySet("a")), .status(.serviceUnavailable)])
            try await withKeySet(server) { set in
                for index in 0..<50 {
                    guard case .unavailable(let retryAfter) = await set.answer(keyID: "new-\(index)") else {
                        Issue.record("a key ID was judged while nobody could say")
                        return
                    }
                    #expect(retryAfter >= .seconds(1))
                }
                #expect(await set.answer(keyID: "a") == .keysChanged)
                #expect(await set.status.counters.unknownKeyIDsRefused == 0)
                // The first fetch, and as many as can be saved up.
                #expect(server.count() <= 6)
            }
        }
    }
}
