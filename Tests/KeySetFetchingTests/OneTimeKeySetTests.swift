import JOSE
import KeySetFetching
import KeySets
import NIOHTTP1
import StrictJSON
import TestSupport
import Testing

@Suite struct OneTimeKeySetTests {
    /// Failure of one fetch of `/keys` with this reply.
    private func failure(of reply: KeyServer.Reply, deadline: Duration = .seconds(5)) async throws -> (
        KeySetFetchFailure?, url: String
    ) {
        var found: (KeySetFetchFailure?, String) = (nil, "")
        try await KeyServer.running { server in
            server.answer(with: reply)
            found.1 = server.url()
            do throws(KeySetFetchFailure) {
                _ = try await SampleDocuments.load(
                    SampleDocuments.configuration(.jwkSetURL(server.url()), deadline: deadline))
            } catch {
                found.0 = error
            }
        }
        return found
    }

    @Test func `a key set is requested with a User-Agent, and without content coding`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a", "b"), headers: ["Content-Type": "text/html"]))
            let found = try await SampleDocuments.load(SampleDocuments.configuration(.jwkSetURL(server.url())))
            #expect(found == ["a", "b"])
            let request = try #require(server.requests.first)
            #expect(request.headers["Accept-Encoding"] == ["identity"])
            #expect(request.headers["User-Agent"] == ["bearward"])
            #expect(request.headers["Host"] == ["127.0.0.1:\(server.port)"])
            #expect(server.count() == 1)
        }
    }

    @Test(arguments: [404, 401, 429, 500, 502, 204, 206, 304])
    func `only status 200 counts as a key set (F06)`(status: Int) async throws {
        let (found, url) = try await failure(of: .status(HTTPResponseStatus(statusCode: status)))
        #expect(found == .unexpectedStatus(url: url, status, retryAfter: nil))
        #expect(found?.description == "\(url) answered \(status)")
    }

    @Test func `status 203, as after a transforming proxy, counts as a key set`() async throws {
        try await KeyServer.running { server in
            var reply = KeyServer.Reply.json(SampleDocuments.keySet("a"))
            reply.status = .nonAuthoritativeInformation
            server.answer(with: reply)
            let found = try await SampleDocuments.load(SampleDocuments.configuration(.jwkSetURL(server.url())))
            #expect(found == ["a"])
        }
    }

    @Test func `the server's Retry-After is part of the failure`() async throws {
        let (found, url) = try await failure(of: .status(.serviceUnavailable, headers: ["Retry-After": "17"]))
        #expect(found == .unexpectedStatus(url: url, 503, retryAfter: .seconds(17)))
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `redirects are not followed (T367, F09)`(status: Int) async throws {
        try await KeyServer.running { server in
            server.answer(with: .status(HTTPResponseStatus(statusCode: status), headers: ["Location": "/elsewhere"]))
            server.answer("/elsewhere", with: .json(SampleDocuments.keySet("a")))
            let expected = KeySetFetchFailure.redirected(url: server.url(), status: status, to: "/elsewhere")
            await #expect(throws: expected) {
                try await SampleDocuments.load(SampleDocuments.configuration(.jwkSetURL(server.url())))
            }
            #expect(server.count(of: "/elsewhere") == 0)
            #expect(
                expected.description
                    == "\(server.url()) answered \(status) and names \"/elsewhere\"; redirects are not followed")
        }
    }

    @Test func `a redirect without Location is reported without a target`() async throws {
        let (found, url) = try await failure(of: .status(.found))
        #expect(found?.description == "\(url) answered 302; redirects are not followed")
    }

    @Test(arguments: [
        KeyServer.Reply.silence,
        KeyServer.Reply(headers: ["Content-Length": "1000"], body: Array("{".utf8), ending: .hang),
        KeyServer.Reply(body: Array("{".utf8), ending: .hang),
    ])
    func `a server that answers late or not completely is cut off at the deadline (F04, F05)`(reply: KeyServer.Reply)
        async throws
    {
        let began = ContinuousClock.now
        let (found, url) = try await failure(of: reply, deadline: .milliseconds(300))
        #expect(began.duration(to: .now) < .seconds(60))
        let timedOut = KeySetFetchFailure.timedOut(source: url, after: .milliseconds(300))
        #expect(found == timedOut)
        #expect(found?.description == "\(url): timed out after 300 ms")
    }

    @Test func `a deadline of whole seconds is reported in seconds`() {
        #expect(KeySetFetchFailure.timedOut(source: "x", after: .seconds(5)).description == "x: timed out after 5 s")
    }

    @Test(arguments: [
        KeyServer.Reply(body: Array(repeating: 0x20, count: 256 * 1024 + 1)),
        KeyServer.Reply(ending: .endless),
        KeyServer.Reply(headers: ["Content-Length": "1073741824"], body: Array("{".utf8), ending: .hang),
    ])
    func `at most 256 KiB of a document are read (F08)`(reply: KeyServer.Reply) async throws {
        let (found, url) = try await failure(of: reply)
        #expect(found == .tooLarge(source: url, limit: 256 * 1024))
        #expect(found?.description == "\(url) is larger than 256 KiB")
    }

    @Test func `a document of exactly 256 KiB is read`() async throws {
        try await KeyServer.running { server in
            let text = SampleDocuments.keySet("a")
            server.answer(with: .json(text + String(repeating: " ", count: 256 * 1024 - text.utf8.count)))
            let found = try await SampleDocuments.load(SampleDocuments.configuration(.jwkSetURL(server.url())))
            #expect(found == ["a"])
        }
    }

    @Test(arguments: ["br", "deflate", "x", "x-gzip", "gzip, gzip", "identity, gzip", "gzip, br"])
    func `a content coding other than gzip is refused unread (T373)`(coding: String) async throws {
        let reply = KeyServer.Reply.json(SampleDocuments.keySet("a"), headers: ["Content-Encoding": coding])
        let (found, url) = try await failure(of: reply)
        #expect(found == .encoded(url: url, coding: coding))
    }

    private static func zipped(_ bytes: [UInt8], coding: String = "gzip") -> KeyServer.Reply {
        KeyServer.Reply(headers: ["Content-Encoding": coding], body: bytes)
    }

    @Test(arguments: ["gzip", "GZip"])
    func `an unrequested gzip response is decoded`(coding: String) async throws {
        try await KeyServer.running { server in
            server.answer(with: Self.zipped(Gzip.stored(Array(SampleDocuments.keySet("a", "b").utf8)), coding: coding))
            let found = try await SampleDocuments.load(SampleDocuments.configuration(.jwkSetURL(server.url())))
            #expect(found == ["a", "b"])
        }
    }

    @Test func `a gzip response of several members is decoded as one document`() async throws {
        let text = Array(SampleDocuments.keySet("a", "b").utf8)
        let members = [text.prefix(7), text.dropFirst(7).prefix(1), [], text.dropFirst(8)].flatMap {
            Gzip.stored(Array($0))
        }
        try await KeyServer.running { server in
            server.answer(with: Self.zipped(members))
            let found = try await SampleDocuments.load(SampleDocuments.configuration(.jwkSetURL(server.url())))
            #expect(found == ["a", "b"])
        }
    }

    @Test func `a gzip response is decoded up to 256 KiB (T373)`() async throws {
        let text = SampleDocuments.keySet("a")
        let whole = Array((text + String(repeating: " ", count: 256 * 1024 - text.utf8.count)).utf8)
        #expect(try await failure(of: Self.zipped(Gzip.stored(whole))).0 == nil)
        let (found, url) = try await failure(of: Self.zipped(Gzip.stored(whole + [0x20])))
        #expect(found == .tooLarge(source: url, limit: 256 * 1024))
        let (parts, inParts) = try await failure(of: Self.zipped(Gzip.stored(whole) + Gzip.stored([0x20])))
        #expect(parts == .tooLarge(source: inParts, limit: 256 * 1024))
        // 64 MiB of spaces in 64 KiB.
        let (bomb, bombed) = try await failure(of: Self.zipped(Gzip.bomb))
        #expect(bomb == .tooLarge(source: bombed, limit: 256 * 1024))
    }

    @Test func `a gzip response that is damaged, incomplete or no gzip is refused`() async throws {
        let text = Array(SampleDocuments.keySet("a").utf8)
        let zipped = Gzip.stored(text)
        var damaged = zipped
        damaged[zipped.count - 5] ^= 1
        for body in [
            text, Array(zipped.dropLast()), Array(zipped.prefix(20)), damaged, [], zipped + text, zipped + damaged,
            zipped + [0],
        ] {
            let (found, url) = try await failure(of: Self.zipped(body))
            #expect(found == .notGzip(url: url))
        }
    }

    @Test(
        arguments: [
            ("", .notJSON(.empty)), ("null", .notJSON(.notObjectOrArray)), ("<html></html>", .otherDocument(.markup)),
            ("[]", .notObject),
            ("{}", .noKeysMember), (#"{"keys":{}}"#, .noKeysMember), (#"{"keys":123}"#, .noKeysMember),
            (#"{"keys":[]}"#, .noUsableKey([])),
            (
                #"{"keys":[{"kty":"oct","k":"AA"}]}"#,
                .noUsableKey([SkippedKey(keyID: nil, index: 0, reason: .symmetricKey)])
            ),
            ("\u{FEFF}{\"keys\":[]}", .notJSON(.byteOrderMark)),
        ] as [(String, KeySetRejection)])
    func `T341: a document without a usable key is refused`(body: String, rejection: KeySetRejection)
        async throws
    {
        let (found, url) = try await failure(of: .json(body))
        #expect(found == .keySetRefused(source: url, rejection))
    }

    @Test func `T374: a document in UTF-16 is refused`() async throws {
        let utf16 = SampleDocuments.keySet("a").utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let (found, url) = try await failure(of: KeyServer.Reply(body: utf16))
        #expect(found == .keySetRefused(source: url, .notJSON(.nullCharacter)))
    }

    @Test func `T353: a document with more keys than allowed is refused`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a", "b")))
            var configuration = SampleDocuments.configuration(.jwkSetURL(server.url()))
            configuration.keyLimit = 1
            await #expect(throws: KeySetFetchFailure.keySetRefused(source: server.url(), .tooManyKeys)) {
                try await SampleDocuments.load(configuration)
            }
        }
    }

    @Test func `a connection that breaks off within the document is a failure (F15)`() async throws {
        let cut = KeyServer.Reply(
            headers: ["Content-Length": "1000"], body: Array(SampleDocuments.keySet("a").utf8), ending: .close)
        let (found, url) = try await failure(of: cut)
        guard case .incomplete(url, _) = found else {
            Issue.record("\(String(describing: found))")
            return
        }
    }

    @Test func `a closed port fails at once as a failed connection`() async throws {
        var url = ""
        try await KeyServer.running { url = $0.url() }
        let began = ContinuousClock.now
        do throws(KeySetFetchFailure) {
            _ = try await SampleDocuments.load(SampleDocuments.configuration(.jwkSetURL(url)))
            Issue.record("fetched from a closed port")
        } catch {
            #expect(error == .connectionFailed(url: url, reason: "Connection refused"))
        }
        #expect(began.duration(to: .now) < .seconds(2))
    }

    @Test func `for a name with several addresses, the address that answers is used`() async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let url = server.url(host: "localhost")
            let found = try await SampleDocuments.load(SampleDocuments.configuration(.jwkSetURL(url)))
            #expect(found == ["a"])
            #expect(server.requests.first?.headers["Host"] == ["localhost:\(server.port)"])
        }
    }

    @Test func `a host name that does not exist is reported`() async throws {
        let configuration = SampleDocuments.configuration(.jwkSetURL("https://no-such-host.invalid/keys"))
        do throws(KeySetFetchFailure) {
            _ = try await SampleDocuments.load(configuration)
            Issue.record("fetched from a host that does not exist")
        } catch {
            guard case .hostNotResolved("no-such-host.invalid", _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func `plain http is refused beyond loopback, unless the operator permits it (T370)`() async throws {
        let url = "http://192.0.2.1/keys"
        await #expect(throws: KeySetFetchFailure.plainHTTPRefused(url: url)) {
            try await SampleDocuments.load(SampleDocuments.configuration(.jwkSetURL(url)))
        }
    }

    @Test(arguments: ["", "id.example/keys", "ftp://id.example/keys", "https://user:pass@id.example/keys"])
    func `a key set address that is no URL is refused`(text: String) async {
        await #expect(throws: KeySetFetchFailure.urlInvalid(text)) {
            try await SampleDocuments.load(SampleDocuments.configuration(.jwkSetURL(text)))
        }
    }

    @Test func `a proxy that cannot be used is never bypassed`() async throws {
        let proxies = ProxyEnvironment(environment: ["HTTPS_PROXY": "https://proxy.example"])
        let configuration = SampleDocuments.configuration(.jwkSetURL("https://id.example/keys"))
        await #expect(throws: KeySetFetchFailure.proxyInvalid("only http:// proxies are supported")) {
            try await OneTimeKeySet.load(configuration, proxies: proxies)
        }
    }

    @Test func `trust anchors that cannot be read are reported`() async throws {
        let directory = try TemporaryFolder()
        defer { withExtendedLifetime(directory) {} }
        try directory.write("no certificate", to: "ca.pem")
        var configuration = SampleDocuments.configuration(.jwkSetURL("https://127.0.0.1:1/keys"))
        configuration.caFile = directory.path("ca.pem")
        await #expect(
            throws: KeySetFetchFailure.caFileUnusable(
                path: directory.path("ca.pem"), reason: "it holds no PEM certificates")
        ) {
            try await SampleDocuments.load(configuration)
        }
        configuration.caFile = directory.path("missing.pem")
        await #expect(
            throws: KeySetFetchFailure.caFileUnusable(
                path: directory.path("missing.pem"), reason: "there is no such file")
        ) {
            try await SampleDocuments.load(configuration)
        }
    }
}
