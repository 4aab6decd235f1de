import Foundation
import KeySetFetching
import KeySets
import NIOCore
import NIOHTTP1
import Testing
import TokenIntrospection
import TokenVerification

@Suite struct TokenIntrospectorTests {
    @Test func `a hundred concurrent requests with one token cause one introspection`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .json(#"{"active":true,"jti":"A"}"#))
            let gate = server.holdAnswers()
            try await stand.running(server) { introspector in
                let outcomes = await withTaskGroup(of: IntrospectionStand.Outcome.self) { group in
                    for _ in 0..<100 { group.addTask { await stand.ask(introspector, "a") } }
                    #expect(await eventually { await introspector.status.counters.joined == 99 })
                    gate.succeed()
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(outcomes == Array(repeating: .response(active: true, "A"), count: 100))
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `an introspection response is cached, and later requests cause no introspection`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .json(#"{"active":true,"jti":"A"}"#))
            try await stand.running(server) { introspector in
                let digest = stand.digest("a")
                let now = NumericDate(seconds: Date().timeIntervalSince1970)
                #expect(introspector.store.answer(for: digest, at: now) == nil)
                #expect(await stand.ask(introspector, "a") == .response(active: true, "A"))
                #expect(introspector.store.answer(for: digest, at: now)?.claims.tokenID == "A")
                #expect(introspector.store.answer(for: digest, at: now + .seconds(90)) == nil)
                #expect(await stand.ask(introspector, "a") == .response(active: true, "A"))
                let status = await introspector.status
                #expect(status.counters.asked == 1 && status.counters.fromCache == 1 && status.counters.answered == 1)
                #expect(status.keptAnswers == 1 && status.questionsUnderWay == 0)
                #expect(status.lastSuccess != nil && status.lastFailure == nil && !status.isPaused)
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `an inactive token is reported as inactive`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .json(#"{"active":false}"#))
            try await stand.running(server) { introspector in
                #expect(await stand.ask(introspector, "a") == .response(active: false))
            }
        }
    }

    @Test func `an issuer that is down is reported as unavailable, and its Retry-After is respected`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .status(.serviceUnavailable, headers: ["Retry-After": "30"]))
            try await stand.running(server) { introspector in
                #expect(await stand.ask(introspector, "a") == .unavailable(.seconds(30)))
                guard case .unavailable(let retryAfter) = await stand.ask(introspector, "b") else {
                    Issue.record("answered without the issuer")
                    return
                }
                #expect((.seconds(20)...(.seconds(30))).contains(retryAfter))
                let status = await introspector.status
                #expect(status.isPaused && status.nextQuestion != nil)
                #expect(
                    status.lastFailure == .exchange(.unexpectedStatus(url: url(server), 503, retryAfter: .seconds(30))))
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [
        HTTPResponseStatus.unauthorized, .tooManyRequests, .badGateway, .serviceUnavailable, .gatewayTimeout,
    ])
    func `after five failures in a row introspection pauses, and resumes later`(status: HTTPResponseStatus)
        async throws
    {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .status(status))
            try await stand.running(server) { introspector in
                for index in 0..<8 { #expect(await stand.ask(introspector, "t\(index)").isUnavailable) }
                #expect(server.requests.count == 5)
                server.answer(with: .json(#"{"active":true}"#))
                #expect(await eventually { await stand.ask(introspector, "a") == .response(active: true) })
                #expect(await !introspector.status.isPaused)
            }
            #expect(stand.log.all.contains { $0.hasPrefix("warning Introspection paused") })
            #expect(stand.log.all.contains { $0.hasPrefix("notice Introspection works again") })
        }
    }

    @Test func `an endpoint that refuses connections is reported as unavailable`() async throws {
        let stand = try IntrospectionStand()
        var port = 0
        try await IntrospectionServer.running { port = $0.port }
        let introspector = stand.introspector(try stand.configuration("http://127.0.0.1:\(port)/introspect"))
        await introspector.start()
        #expect(await stand.ask(introspector, "a") == .unavailable(.seconds(1)))
        guard case .exchange(.connectionFailed)? = await introspector.status.lastFailure else {
            Issue.record("another failure")
            return
        }
        await introspector.stop()
    }

    @Test(arguments: [HTTPResponseStatus.movedPermanently, .found, .temporaryRedirect, .permanentRedirect])
    func `a redirect is refused, because it would send token and secret elsewhere`(status: HTTPResponseStatus)
        async throws
    {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .status(status, headers: ["Location": "/elsewhere"]))
            try await stand.running(server) { introspector in
                #expect(await stand.ask(introspector, "a") == .unavailable(.seconds(1)))
                let expected = KeySetFetchFailure.redirected(
                    url: url(server), status: Int(status.code), to: "/elsewhere")
                #expect(await introspector.status.lastFailure == .exchange(expected))
            }
            #expect(server.requests.map(\.path) == ["/introspect"])
        }
    }

    @Test(arguments: [HTTPResponseStatus.unauthorized, .forbidden])
    func `refused credentials are reported, and neither token nor secret is logged`(status: HTTPResponseStatus)
        async throws
    {
        let stand = try IntrospectionStand(secret: "very-s3cret")
        try await IntrospectionServer.running { server in
            server.answer(with: .status(status))
            try await stand.running(server) { introspector in
                #expect(await stand.ask(introspector, "t0ken-text") == .unavailable(.seconds(1)))
                #expect(
                    await introspector.status.lastFailure == .clientRefused(url: url(server), status: Int(status.code)))
            }
        }
        #expect(
            stand.log.all.contains {
                $0.hasPrefix("warning") && $0.contains("the issuer refused our client credentials")
            })
        #expect(!stand.log.all.contains { $0.contains("s3cret") || $0.contains("t0ken") })
    }

    @Test(arguments: [
        ("<html>", IntrospectionResponseRejection.notJSONObject), ("[]", .notJSONObject), ("", .notJSONObject),
    ])
    func `an invalid introspection response counts as unavailable, not inactive`(
        reply: (String, IntrospectionResponseRejection)
    ) async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .json(reply.0))
            try await stand.running(server) { introspector in
                #expect(await stand.ask(introspector, "a") == .unavailable(.seconds(1)))
                #expect(await introspector.status.lastFailure == .answerRefused(url: url(server), reply.1))
            }
        }
    }

    @Test(arguments: [
        IntrospectionServer.Reply(body: String(repeating: " ", count: 64 * 1024 + 1)),
        .init(body: "{", ending: .endless),
    ])
    func `no more bytes are read than allowed, with or without Content-Length`(reply: IntrospectionServer.Reply)
        async throws
    {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: reply)
            try await stand.running(server) { introspector in
                #expect(await stand.ask(introspector, "a") == .unavailable(.seconds(1)))
                #expect(
                    await introspector.status.lastFailure == .exchange(.tooLarge(source: url(server), limit: 64 * 1024))
                )
            }
        }
    }

    @Test(arguments: [IntrospectionServer.Reply.Ending.normal, .unannounced])
    func `an introspection response of the maximum size is read, and one byte more is refused`(
        ending: IntrospectionServer.Reply.Ending
    )
        async throws
    {
        let stand = try IntrospectionStand()
        let text = #"{"active":true}"#
        try await IntrospectionServer.running { server in
            try await stand.running(server, { $0.responseLimit = text.utf8.count }) { introspector in
                server.answer(with: .init(body: text, ending: ending))
                #expect(await stand.ask(introspector, "a") == .response(active: true))
                server.answer(with: .init(body: text + " ", ending: ending))
                #expect(await stand.ask(introspector, "b") == .unavailable(.seconds(1)))
                let failure = IntrospectionFailure.exchange(.tooLarge(source: url(server), limit: text.utf8.count))
                #expect(await introspector.status.lastFailure == failure)
            }
        }
    }

    @Test func `an introspection response with a content coding is refused unread (T373)`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .json(#"{"active":true}"#, headers: ["Content-Encoding": "gzip"]))
            try await stand.running(server) { introspector in
                #expect(await stand.ask(introspector, "a") == .unavailable(.seconds(1)))
                #expect(await introspector.status.lastFailure == .exchange(.encoded(url: url(server), coding: "gzip")))
            }
        }
    }

    /// A firewall that refuses tokens or breaks the connection; an issuer that fails on them, or sends an invalid
    /// response.
    @Test(arguments: [
        IntrospectionServer.Reply.status(.badRequest, headers: ["Retry-After": "30"]), .status(.forbidden),
        .status(.notFound),
        .status(.payloadTooLarge), .status(.uriTooLong), .status(.unprocessableEntity),
        .status(.requestHeaderFieldsTooLarge),
        .status(.internalServerError, headers: ["Retry-After": "30"]), .status(.notImplemented), .status(.found),
        .json("<html>"), .json(#"{"active":true}"#, headers: ["Content-Encoding": "gzip"]), .init(ending: .cut),
        .init(ending: .reset),
    ])
    func `tokens that the issuer refuses as malformed cause no pause`(reply: IntrospectionServer.Reply) async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: reply)
            try await stand.running(server) { introspector in
                for index in 0..<8 {
                    #expect(await stand.ask(introspector, "odd\(index)") == .unavailable(.seconds(1)))
                }
                server.answer(with: .json(#"{"active":true}"#))
                #expect(await stand.ask(introspector, "a") == .response(active: true))
            }
        }
    }

    @Test func `introspection pauses after five refused connections`() async throws {
        let stand = try IntrospectionStand()
        var port = 0
        try await IntrospectionServer.running { port = $0.port }
        let introspector = stand.introspector(try stand.configuration("http://127.0.0.1:\(port)/introspect"))
        await introspector.start()
        for index in 0..<5 {
            #expect(await !introspector.status.isPaused)
            #expect(await stand.ask(introspector, "t\(index)").isUnavailable)
        }
        #expect(await introspector.status.isPaused)
        await introspector.stop()
    }

    @Test func `slow tokens of one client network do not delay those of another, also over the network`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .silence)
            try await stand.running(server, { $0.deadline = .seconds(60) }) { introspector in
                let slow = (0..<70).map { index in
                    Task { await stand.ask(introspector, "slow\(index)", of: ClientNetwork(high: 0, low: 1)) }
                }
                // Half of the concurrent introspections; the rest are queued.
                #expect(await eventually { server.requests.count == 32 })
                #expect(await eventually { await introspector.status.requestsWaiting == 70 })
                server.answer(with: .json(#"{"active":true}"#))
                for index in 0..<24 {
                    let outcome = await stand.ask(
                        introspector, "good\(index)", of: ClientNetwork(high: 0, low: UInt64(2 + index % 3)))
                    #expect(outcome == .response(active: true))
                }
                // Meanwhile no further token of the slow client was introspected.
                #expect(server.requests.count == 56)
                await introspector.stop()
                for task in slow { #expect(await task.value == .unavailable(.seconds(1))) }
            }
        }
    }

    @Test func `a queued token is introspected itself when its turn comes`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            let gate = server.holdAnswers()
            try await stand.running(server, { $0.concurrentRequests = 1 }) { introspector in
                let tokens = ["first", "second", "third"]
                var asking: [Task<IntrospectionStand.Outcome, Never>] = []
                for (index, token) in tokens.enumerated() {
                    asking.append(Task { await stand.ask(introspector, token) })
                    #expect(await eventually { await introspector.status.requestsWaiting == index + 1 })
                }
                gate.succeed()
                for task in asking { #expect(await task.value == .response(active: true)) }
                #expect(server.requests.map(\.body) == tokens.map { "token=\($0)&token_type_hint=access_token" })
            }
        }
    }

    @Test func `an introspection without an answer is given up at the deadline`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .silence)
            try await stand.running(server, { $0.deadline = .milliseconds(200) }) { introspector in
                #expect(await stand.ask(introspector, "a") == .unavailable(.seconds(1)))
                let failure = IntrospectionFailure.exchange(.timedOut(source: url(server), after: .milliseconds(200)))
                #expect(await eventually { await introspector.status.lastFailure == failure })
                #expect(await introspector.status.counters.failures == 1)
            }
        }
    }

    @Test func `a cancelled request stops waiting for introspection`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .silence)
            try await stand.running(server, { $0.deadline = .seconds(60) }) { introspector in
                let asking = Task { await stand.ask(introspector, "a") }
                #expect(await eventually { server.requests.count == 1 })
                asking.cancel()
                #expect(await asking.value == .unavailable(.seconds(1)))
            }
        }
    }

    @Test func `a stop answers all requests that wait for introspection`() async throws {
        let stand = try IntrospectionStand()
        try await IntrospectionServer.running { server in
            server.answer(with: .silence)
            try await stand.running(server, { $0.deadline = .seconds(60) }) { introspector in
                let asking = (0..<10).map { index in Task { await stand.ask(introspector, "t\(index % 2)") } }
                #expect(await eventually { server.requests.count == 2 })
                #expect(await eventually { await introspector.status.counters.joined == 8 })
                await introspector.stop()
                for task in asking { #expect(await task.value == .unavailable(.seconds(1))) }
                #expect(await stand.ask(introspector, "a") == .unavailable(.seconds(1)))
                #expect(await introspector.status.questionsUnderWay == 0)
            }
        }
    }

    private func url(_ server: IntrospectionServer) -> String { "http://127.0.0.1:\(server.port)/introspect" }
}

extension IntrospectionStand.Outcome {
    fileprivate var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }
}
