import AsyncHTTPClient
import Foundation
import JOSESigning
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// Denials of tokens in the running command: over its admin listener, with `bearward deny`, and by a deny list file.
@Suite(.serialized) struct DenialEndToEndTests {
    private typealias Stand = DenialStand

    private static func isDenied(_ served: ServedFile, _ token: String) async throws -> Bool {
        try await served.ask("/x", token: token).status == 401
    }

    // MARK: The admin listener

    @Test
    func `a denial applies once answered, also to cached tokens, survives a restart, and can be removed`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let stand = try Stand(upstream: upstream.url)
        var served = try await ServedFile.start(stand.text())
        let (denied, other) = (stand.token("u1"), stand.token("u2"))
        for _ in 0..<3 { #expect(try await served.ask("/x", token: denied).status == 200) }
        let answer = try await stand.call(#"{"issuer":"logto","sub":"u1"}"#)
        #expect(
            answer.status == 200 && answer.body.contains(#""added":[{"issuer":"logto","sub":"u1","expires":"#),
            "\(answer)")
        for _ in 0..<8 { #expect(try await Self.isDenied(served, denied)) }
        #expect(try await served.ask("/x", token: other).status == 200)
        #expect(await BearwardProcess.wait { served.logged("denied") >= 8 })
        await served.stop()

        served = try await ServedFile.start(stand.text())
        #expect(try await Self.isDenied(served, denied))
        #expect(try await stand.call(nil).body.contains(#"{"denials":[{"issuer":"logto","sub":"u1","expires":"#))
        let metrics = try await served.administration("/metrics").body
        #expect(metrics.contains(#"bearward_deny_list_entries{source="api"} 1"#))
        #expect(try await stand.call(#"{"issuer":"logto","sub":"u9"}"#, "/remove").status == 404)
        let removal = try await stand.call(#"{"issuer":"logto","sub":"u1"}"#, "/remove")
        #expect(removal.status == 200 && removal.body == "{\"removed\":1}\n")
        #expect(try await served.ask("/x", token: denied).status == 200)
        await served.stop()
        await upstream.stop()
    }

    @Test func `only valid entries from an operator are accepted, and calls are logged without their content`()
        async throws
    {
        let stand = try Stand(upstream: "http://127.0.0.1:9")
        let served = try await ServedFile.start(stand.text())
        let entry = #"{"issuer":"logto","sub":"secret-person"}"#
        #expect(try await stand.call(entry, token: nil).status == 401)
        #expect(try await stand.call(entry, token: "wrong").status == 401)
        #expect(try await stand.call(nil, token: nil).status == 401)
        #expect(try await stand.call(entry, origin: "http://evil.example").status == 403)
        #expect(try await stand.call(entry, type: "text/plain").status == 415)
        #expect(try await stand.call(entry, type: "application/x-www-form-urlencoded").status == 415)
        #expect(try await stand.call(#"{"issuer":"nobody","sub":"u1"}"#).status == 400)
        #expect(try await stand.call("nonsense").body == "{\"error\":\"not a JSON object\"}\n")
        #expect(try await stand.call(#"{"issuer":"logto","sub":"u1","expires":1}"#).status == 400)
        #expect(
            try await stand.call(#"{"issuer":"logto","sub":"\#(String(repeating: "x", count: 17_000))"}"#).status == 413
        )
        #expect(try await stand.call(nil).body == "{\"denials\":[]}\n")
        #expect(try await stand.call(entry, type: "application/json; charset=utf-8").status == 200)
        #expect(await BearwardProcess.wait { served.gateway.count(of: "Deny list request answered") == 5 })
        #expect(served.gateway.count(of: "Deny list not shown or changed") == 7)
        let asked = served.gateway.lines(of: "Deny list request answered")
        #expect(
            asked.allSatisfy { $0.contains(#""caller":"admin.token_file""#) && $0.contains(#""address":"127.0.0.1""#) },
            "\(asked)")
        let refused = served.gateway.lines(of: "Deny list not shown or changed")
        #expect(refused.allSatisfy { $0.contains(#""address":"127.0.0.1""#) }, "\(refused)")
        // Four calls without the token, with another one, or from a page of another site. Then two bodies that are not
        // JSON, and one that is too long.
        #expect(refused.count { $0.contains(#""caller":"nobody""#) } == 4)
        #expect(refused.count { $0.contains(#""caller":"admin.token_file""#) } == 3)
        #expect(!served.gateway.standardError.contains("secret-person"))
        #expect(!served.gateway.standardError.contains(Stand.operatorToken))
        await served.stop()
    }

    @Test func `a denial that cannot be saved is refused and not in force, also without a state directory`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let stand = try Stand(upstream: upstream.url)
        var served = try await ServedFile.start(stand.text())
        let token = stand.token("u1")
        // A directory in place of the file.
        try FileManager.default.createDirectory(
            atPath: stand.path("state/denials.jsonl/x"), withIntermediateDirectories: true)
        let answer = try await stand.call(#"{"issuer":"logto","sub":"u1"}"#)
        #expect(answer.status == 503 && answer.body.contains("not in force"), "\(answer)")
        #expect(try await served.ask("/x", token: token).status == 200)
        await served.stop()
        try FileManager.default.removeItem(atPath: stand.path("state"))

        served = try await ServedFile.start(stand.text(state: false))
        #expect(try await stand.call(#"{"issuer":"logto","sub":"u1"}"#).status == 403)
        await served.stop()
        await upstream.stop()
    }

    @Test func `saved denials stay in force after a reload or restart without operators`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let stand = try Stand(upstream: upstream.url)
        var served = try await ServedFile.start(stand.text())
        let token = stand.token("u1")
        #expect(try await stand.call(#"{"issuer":"logto","sub":"u1"}"#).status == 200)
        try await served.reload(stand.text(operators: false))
        #expect(try await Self.isDenied(served, token))
        #expect(try await stand.call(#"{"issuer":"logto","sub":"u2"}"#).status == 403)
        try await served.reload(stand.text())
        #expect(try await Self.isDenied(served, token))
        #expect(try await stand.call(nil).body.contains(#""sub":"u1""#))
        await served.stop()

        served = try await ServedFile.start(stand.text(operators: false))
        #expect(try await Self.isDenied(served, token))
        #expect(try await served.ask("/x", token: stand.token("u2")).status == 200)
        await served.stop()
        await upstream.stop()
    }

    @Test func `a denial for an issuer that left the configuration can be removed`() async throws {
        let upstream = try await LoopbackServer.upstream()
        let stand = try Stand(upstream: upstream.url)
        let served = try await ServedFile.start(stand.text())
        #expect(try await stand.call(#"{"issuer":"logto","sub":"u1"}"#).status == 200)
        try await served.reload(stand.text(issuer: "company"))
        #expect(try await stand.call(#"{"issuer":"logto","sub":"u2"}"#).status == 400)
        #expect(try await stand.call(#"{"issuer":"nobody","sub":"u1"}"#, "/remove").status == 400)
        let removal = try await stand.call(#"{"issuer":"logto","sub":"u1"}"#, "/remove")
        #expect(removal.status == 200 && removal.body == "{\"removed\":1}\n", "\(removal)")
        #expect(try await stand.call(nil).body == "{\"denials\":[]}\n")
        try await served.reload(stand.text())
        #expect(try await served.ask("/x", token: stand.token("u1")).status == 200)
        await served.stop()
        await upstream.stop()
    }

    @Test func `denials whose file is deleted stay in force, and are saved again with the next denial`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let stand = try Stand(upstream: upstream.url)
        var served = try await ServedFile.start(stand.text())
        let tokens = [stand.token("u1"), stand.token("u2")]
        #expect(try await stand.call(#"{"issuer":"logto","sub":"u1"}"#).status == 200)
        try FileManager.default.removeItem(atPath: stand.path("state/denials.jsonl"))
        #expect(
            await BearwardProcess.wait {
                served.gateway.count(of: "File of saved denials missing; the present entries stay in force") == 1
            })
        #expect(try await Self.isDenied(served, tokens[0]))
        #expect(try await stand.call(#"{"issuer":"logto","sub":"u2"}"#).status == 200)
        for token in tokens { #expect(try await Self.isDenied(served, token)) }
        await served.stop()
        served = try await ServedFile.start(stand.text())
        for token in tokens { #expect(try await Self.isDenied(served, token)) }
        await served.stop()
        await upstream.stop()
    }

    @Test func `a denial made just before a handover is in force from the successor's first answer`() async throws {
        let upstream = try await LoopbackServer.upstream()
        let stand = try Stand(upstream: upstream.url)
        let served = try await ServedFile.start(stand.text())
        var subjects: [String] = []
        for round in 1...3 {
            served.gateway.signal(SIGUSR2)
            var isOver = false
            // Until the successor answers, and a few more calls.
            while !isOver {
                isOver = served.gateway.count(of: "Handing over") >= round
                let subject = "r\(round)-\(subjects.count)"
                // During the handover the admin listener may be unreachable for a moment.
                guard (try? await stand.call("{\"issuer\":\"logto\",\"sub\":\"\(subject)\"}"))?.status == 200 else {
                    continue
                }
                subjects.append(subject)
                for subject in subjects.suffix(3) {
                    let status = try await Self.statusOverNewConnection(served, stand.token(subject))
                    #expect(status == 401, "\(subject)")
                }
            }
            for subject in subjects.suffix(20) {
                let status = try await Self.statusOverNewConnection(served, stand.token(subject))
                #expect(status == 401, "\(subject)")
            }
        }
        #expect(subjects.count > 3)
        await served.stop()
        await upstream.stop()
    }

    @Test func `F47 a late save by a stuck predecessor removes no denial`() async throws {
        let upstream = try await LoopbackServer.upstream()
        let stand = try Stand(upstream: upstream.url)
        let served = try await ServedFile.start(stand.text())
        #expect(try await stand.call(#"{"issuer":"logto","sub":"u1"}"#).status == 200)
        let before = try String(contentsOfFile: stand.path("state/denials.jsonl"), encoding: .utf8)
        let stuck = try #require(WorkerProcesses(gateway: served.gateway).living.first)
        kill(stuck, SIGSTOP)
        served.gateway.signal(SIGUSR2)
        // The stuck worker holds the admin address until it is killed.
        #expect(await BearwardProcess.wait(atMost: .seconds(40)) { !WorkerProcesses.isLiving(stuck) })
        #expect(
            await BearwardProcess.wait { (try? await stand.call(#"{"issuer":"logto","sub":"u2"}"#))?.status == 200 },
            "\(served.gateway.standardError)")
        // Restores the older file, as if the stuck worker had been stopped between decision and save, and had resumed
        // before it was killed.
        try stand.put(before, "state/denials.jsonl")
        #expect(
            await BearwardProcess.wait {
                (try? String(contentsOfFile: stand.path("state/denials.jsonl"), encoding: .utf8))?.contains("u2")
                    == true
            })
        for subject in ["u1", "u2"] {
            #expect(try await Self.statusOverNewConnection(served, stand.token(subject)) == 401, "\(subject)")
        }
        await served.stop()
        await upstream.stop()
    }

    /// Status of a request on a new connection, since a kept connection stays with its process.
    private static func statusOverNewConnection(_ served: ServedFile, _ token: String) async throws -> Int {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.port)/x")
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        request.headers.add(name: "Connection", value: "close")
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        _ = try await answer.body.collect(upTo: 1 << 20)
        return Int(answer.status.code)
    }

    @Test func `the gateway does not start with saved denials that cannot be read`() async throws {
        let stand = try Stand(upstream: "http://127.0.0.1:9")
        try FileManager.default.createDirectory(
            atPath: stand.path("state"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try stand.put("{\"issuer\":\"logto\"\n", "state/denials.jsonl")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: stand.path("state/denials.jsonl"))
        try stand.put(stand.text(), "bearward.yaml")
        let gateway = try BearwardProcess(["serve", "--config", stand.path("bearward.yaml")])
        let status = await gateway.exitStatus()
        #expect(status != nil && status != 0)
        #expect(gateway.standardError.contains("`denials.jsonl`, line 1"), "\(gateway.standardError)")
    }

    // MARK: Streams

    @Test(.enabled(if: Interop.curl != nil && Interop.python != nil))
    func `an open event stream ends when its token is denied, and other streams continue`() async throws {
        let source = try await EventSource.start()
        let stand = try Stand(upstream: source.url)
        let served = try await ServedFile.start(stand.text())
        func stream(_ token: String) throws -> BearwardProcess {
            try BearwardProcess(
                program: try #require(Interop.curl),
                ["-sN", "http://127.0.0.1:\(served.port)/x", "-H", "Authorization: Bearer \(token)"])
        }
        // Two streams each, so that a newly verified and a cached token open one, on both event loops.
        let denied = try [stream(stand.token("u1")), stream(stand.token("u1"))]
        let others = try [stream(stand.token("u2")), stream(stand.token("u2"))]
        #expect(
            await BearwardProcess.wait { (denied + others).allSatisfy { $0.standardOutput.contains("data: tick") } })
        let began = ContinuousClock.now
        #expect(try await stand.call(#"{"issuer":"logto","sub":"u1"}"#).status == 200)
        for stream in denied { #expect(await stream.exitStatus(within: .seconds(5)) == 0) }
        #expect(ContinuousClock.now - began < .seconds(3))
        let seen = others.map(\.standardOutput.count)
        #expect(await BearwardProcess.wait { zip(others, seen).allSatisfy { $0.standardOutput.count > $1 + 30 } })
        let stillOpen = others.count { $0.process.isRunning }
        #expect(stillOpen == 2)
        #expect(await BearwardProcess.wait { served.logged("denied") == 2 })
        for stream in others { stream.signal(SIGKILL) }
        await served.stop()
        source.stop()
    }

    @Test(.enabled(if: Interop.curl != nil && Interop.python != nil))
    func `a first deny list, added by a reload, ends event streams that are already open`() async throws {
        let source = try await EventSource.start()
        let stand = try Stand(upstream: source.url)
        let served = try await ServedFile.start(stand.text(state: false, operators: false))
        func stream(_ token: String) throws -> BearwardProcess {
            try BearwardProcess(
                program: try #require(Interop.curl),
                ["-sN", "http://127.0.0.1:\(served.port)/x", "-H", "Authorization: Bearer \(token)"])
        }
        let (token, other) = (stand.token("u1"), stand.token("u2"))
        // One stream opened by a newly verified token, and others by the cached token, on both event loops.
        let denied = try [stream(token), stream(token), stream(token), stream(token)]
        let others = try [stream(other), stream(other)]
        #expect(
            await BearwardProcess.wait { (denied + others).allSatisfy { $0.standardOutput.contains("data: tick") } })
        try stand.put(#"{"issuer":"logto","sub":"u1"}"#, "deny.jsonl")
        try await served.reload(stand.text(state: false, list: true, operators: false))
        for stream in denied { #expect(await stream.exitStatus(within: .seconds(5)) == 0) }
        let stillOpen = others.count { $0.process.isRunning }
        #expect(stillOpen == 2)
        // Later additions to the list end the other streams as well.
        try stand.put(#"{"issuer":"logto","sub":"u2"}"#, "deny.jsonl")
        for stream in others { #expect(await stream.exitStatus(within: .seconds(10)) == 0) }
        #expect(await BearwardProcess.wait { served.logged("denied") == 6 })
        for stream in denied + others where stream.process.isRunning { stream.signal(SIGKILL) }
        await served.stop()
        source.stop()
    }

    // MARK: The file

    @Test func `a deny list file is followed, and the last list stays in force if the file breaks or vanishes`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let stand = try Stand(upstream: upstream.url)
        try stand.put(#"{"issuer":"logto","sub":"u1"}"# + "\n", "deny.jsonl")
        let served = try await ServedFile.start(stand.text(list: true))
        let (first, second) = (stand.token("u1"), stand.token("u2"))
        #expect(try await Self.isDenied(served, first))
        #expect(try await served.ask("/x", token: second).status == 200)
        try stand.put(#"{"issuer":"logto","sub":"u2"}"#, "deny.jsonl")
        #expect(try await BearwardProcess.wait { try await Self.isDenied(served, second) })
        #expect(try await served.ask("/x", token: first).status == 200)
        try stand.put("{\"issuer\":\"logto\",\"sub\":\"u1\"}\n\nnonsense\n", "deny.jsonl")
        #expect(
            await BearwardProcess.wait {
                served.gateway.count(of: "Deny list not read; the previous one stays in force") == 1
            })
        #expect(
            served.gateway.lines(of: "Deny list not read; the previous one stays in force").last?.contains(#""line":3"#)
                == true)
        #expect(try await Self.isDenied(served, second))
        try FileManager.default.removeItem(atPath: stand.path("deny.jsonl"))
        #expect(
            await BearwardProcess.wait {
                served.gateway.count(of: "Deny list not read; the previous one stays in force") == 2
            })
        #expect(try await Self.isDenied(served, second))
        #expect(try await served.administration("/metrics").body.contains("bearward_deny_list_errors_total 2"))
        try stand.put("", "deny.jsonl")
        #expect(try await BearwardProcess.wait { try await !Self.isDenied(served, second) })
        #expect(served.gateway.count(of: "The deny list can be read again") == 1)
        await served.stop()
        await upstream.stop()
    }

    @Test func `a deny list is read once at a start or reload, and again when it changes`() async throws {
        let upstream = try await LoopbackServer.upstream()
        let stand = try Stand(upstream: upstream.url)
        try stand.put(#"{"issuer":"logto","sub":"u1"}"#, "deny.jsonl")
        let served = try await ServedFile.start(stand.text(list: true))
        try await Self.waitForLook(served)
        try await served.reload(stand.text(list: true) + "# again\n")
        try await Self.waitForLook(served)
        #expect(served.gateway.count(of: "Deny list read") == 0)
        #expect(try await Self.isDenied(served, stand.token("u1")))
        try stand.put(#"{"issuer":"logto","sub":"u2"}"#, "deny.jsonl")
        #expect(try await BearwardProcess.wait { try await Self.isDenied(served, stand.token("u2")) })
        try await Self.waitForLook(served)
        #expect(served.gateway.count(of: "Deny list read") == 1)
        await served.stop()
        await upstream.stop()
    }

    /// Waits until the gateway has checked the unchanged list twice more, which resets the age of the list.
    private static func waitForLook(_ served: ServedFile) async throws {
        var looks = 0
        var last = 0.0
        let isDone = try await BearwardProcess.wait {
            let metrics = try await served.administration("/metrics").body
            let age =
                metrics.firstMatch(of: /bearward_deny_list_age_seconds ([0-9.e-]+)/).flatMap { Double($0.output.1) }
                ?? 0
            if age < last { looks += 1 }
            last = age
            return looks == 2
        }
        #expect(isDone)
    }

    @Test func `a reload that renames an issuer never lets in a denied token`() async throws {
        let upstream = try await LoopbackServer.upstream()
        let stand = try Stand(upstream: upstream.url)
        try stand.put(#"{"issuer":"logto","sub":"u1"}"#, "deny.jsonl")
        // Without a token cache, each request costs a failed verification.
        func text(_ issuer: String) -> String {
            stand.text(list: true, issuer: issuer) + "limits: {failed_verifications_per_address: off}\n"
        }
        let served = try await ServedFile.start(text("logto"))
        let token = stand.token("u1")
        let asking = Task {
            var statuses: [Int: Int] = [:]
            while let status = try? await served.ask("/x", token: token).status { statuses[status, default: 0] += 1 }
            return statuses
        }
        for name in ["company", "logto", "company", "logto"] {
            // Under the earlier configuration the list names an unknown issuer, so the last list stays until the
            // reload.
            try stand.put("{\"issuer\":\"\(name)\",\"sub\":\"u1\"}", "deny.jsonl")
            try await served.reload(text(name))
        }
        asking.cancel()
        let statuses = await asking.value
        #expect(Set(statuses.keys) == [401], "\(statuses)")
        await served.stop()
        await upstream.stop()
    }

    @Test func `a broken deny list is a configuration error, at the start and for check`() async throws {
        let stand = try Stand(upstream: "http://127.0.0.1:9")
        try stand.put("{\"issuer\":\"logto\",\"sub\":\"u1\"}\n{\"issuer\":\"lotgo\",\"sub\":\"u1\"}\n", "deny.jsonl")
        try stand.put(stand.text(list: true), "bearward.yaml")
        for command in ["check", "serve"] {
            let process = try BearwardProcess([command, "--config", stand.path("bearward.yaml")])
            #expect(await process.exitStatus() == 78)
            #expect(process.standardError.contains("line 2: there is no issuer `lotgo`"), "\(process.standardError)")
        }
    }
}
