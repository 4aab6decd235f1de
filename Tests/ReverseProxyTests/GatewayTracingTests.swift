import AccessControl
import Foundation
import HTTPMessages
import NetworkNames
import ProxySettings
import RequestAuthorization
import Telemetry
import TestSupport
import Testing
import TokenVerification

@testable import ReverseProxy

/// Traces: which requests are recorded, what their spans have, and what the upstream is told.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayTracingTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    private static let loopback = [AddressRange("127.0.0.0/8")].compactMap(\.self)

    private func tracing(
        sample: Double = 0, refused: Double = 0, most: Int = 1_000_000, trusts: [AddressRange] = []
    ) -> TracingSettings {
        var settings = TracingSettings()
        settings.sample = .percent(sample)
        settings.refused = .percent(refused)
        settings.most = most
        settings.trustedParents = trusts
        return settings
    }

    /// Sends requests on one connection.
    ///
    /// - Returns: the answers, which have the head that the upstream got; and the spans.
    private func exchange(
        _ heads: [String], _ settings: GatewaySettings
    ) async throws -> (answers: String, spans: [DecodedSpan], log: [String]) {
        let result = Outcome()
        try await withGateway(settings) { gateway in
            let queue = gateway.gateway.state.spans
            queue.collect {}
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            let client = try await gateway.connect()
            client.send(
                heads.dropLast().map { "\($0)\r\n\r\n" }.joined() + (heads.last ?? "") + "\r\nConnection: close\r\n\r\n"
            )
            let answers = try await client.receiveToEnd()
            let log = try await gateway.logLines(heads.count)
            await result.set(answers, queue, log)
        }
        return try await (result.answers, result.spans, result.log)
    }

    private actor Outcome {
        var (answers, log): (String, [String]) = ("", [])
        private var queue = SpanQueue()

        func set(_ answers: String, _ queue: SpanQueue, _ log: [String]) {
            (self.answers, self.queue, self.log) = (answers, queue, log)
        }

        /// All spans. A gateway that has stopped has handed them over.
        var spans: [DecodedSpan] {
            get throws { try #require(DecodedSpan.all(in: queue.take(atMost: .max).flatMap(\.bytes))) }
        }
    }

    private func settings(_ tracing: TracingSettings) -> GatewaySettings {
        var settings = GatewaySettings(keys: TestKeys.set)
        settings.tracing = tracing
        return settings
    }

    @Test func `a recorded request has a span, one for its attempt, and the upstream gets the latter`() async throws {
        let head = "GET /shop/x?secret=1 HTTP/1.1\r\nHost: shop.example:8080\r\nUser-Agent: curl/8"
        let (answers, spans, log) = try await exchange([head], settings(tracing(sample: 100)))
        #expect(spans.count == 2)
        let server = try #require(spans.first { $0.kind == 2 })
        let client = try #require(spans.first { $0.kind == 3 })
        #expect(server.parent.isEmpty && server.links.isEmpty && !server.isError)
        #expect(server.name == "GET /shop/**")
        #expect(client.name == "GET")
        #expect(client.parent == server.span && client.trace == server.trace)
        #expect(values("traceparent", in: answers) == ["00-\(server.trace)-\(client.span)-01"])
        #expect(server.start <= client.start && client.end <= server.end && client.start <= client.end)
        #expect(abs(Double(server.start) / 1e9 - Date().timeIntervalSince1970) < 60)
        var attributes = server.attributes
        #expect(attributes.removeValue(forKey: "bearward.request_id")?.count == 32)
        #expect(
            attributes == [
                "http.request.method": "GET", "http.route": "/shop/**", "http.response.status_code": "200",
                "url.path": "/shop/x", "url.scheme": "http", "server.address": "shop.example", "server.port": "8080",
                "client.address": "127.0.0.1", "user_agent.original": "curl/8", "network.protocol.version": "1.1",
                "bearward.resource": "open",
            ])
        #expect(server.events.map(\.name) == ["authorize"])
        #expect(server.events[0].attributes == ["bearward.check": "forwarding"])
        #expect(client.attributes["server.address"] == "127.0.0.1")
        #expect(client.attributes["http.response.status_code"] == "200")
        #expect(client.attributes["http.request.method"] == "GET")
        #expect(log[0].contains(#""trace_id":"\#(server.trace)""#))
        #expect(!"\(spans)".contains("secret"))
    }

    @Test func `a verified token's subject is in the event, as redact has it`() async throws {
        let token =
            "Authorization: Bearer \(TestToken.good.with("iss", #""https://idp.example""#).with("exp", "4102444800").with("sub", #""u1""#).signed(by: TestKeys.rsa))"
        let head = "GET /private/x HTTP/1.1\r\nHost: a\r\nUser-Agent: x\r\n\(token)"
        var given = settings(tracing(sample: 100))
        var events: [[String: String]] = []
        var spans: [DecodedSpan] = []
        for treatment in [LogRedaction.Text.shown, .hashed, .dropped] {
            (given.redaction.subject, given.redaction.client, given.redaction.userAgent) = (
                treatment, treatment, treatment
            )
            if treatment == .dropped { given.redaction.path = .dropped }
            // The second request finds the token in the cache.
            let made = try await exchange([head, head], given).spans.filter { $0.kind == 2 }
            #expect(made.count == 2)
            events += made.map { $0.events[0].attributes }
            spans += made
        }
        #expect(events.allSatisfy { $0["bearward.issuer"] == "idp" && $0["bearward.check"] == "forwarding" })
        #expect(events.map { $0["user.id"] } == ["u1", "u1", nil, nil, nil, nil])
        #expect(events[2]["user.hash"]?.count == 64 && events[2]["user.hash"] == events[3]["user.hash"])
        #expect([0, 1, 4, 5].allSatisfy { events[$0]["user.hash"] == nil })
        let agents = spans.map { $0.attributes["user_agent.original"] }
        #expect(agents[0] == "x" && agents[2]?.count == 64 && agents[4] == nil)
        let clients = spans.map { $0.attributes["client.address"] }
        #expect(clients[0] == "127.0.0.1" && clients[2]?.count == 64 && clients[4] == nil)
        #expect(
            spans.map { $0.attributes["url.path"] } == [
                "/private/x", "/private/x", "/private/x", "/private/x", nil, nil,
            ])
    }

    @Test func `refused requests are recorded at a rate of their own, with check and reason (T561)`() async throws {
        let heads = [
            "GET /private/x HTTP/1.1\r\nHost: a", "GET /public HTTP/1.1\r\nHost: a",
            "GET /private/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a.b.c", "FOO /private HTTP/1.1\r\nHost: a",
        ]
        let spans = try await exchange(heads, settings(tracing(refused: 100))).spans
        #expect(spans.map(\.name) == ["GET /private/**", "GET /private/**", "HTTP /private/**"])
        #expect(spans.map { $0.attributes["http.response.status_code"] } == ["401", "401", "401"])
        #expect(
            spans.map { $0.events.first?.attributes["bearward.reason"] } == [
                "missing_credentials", "malformed", "missing_credentials",
            ])
        #expect(
            spans.map { $0.events.first?.attributes["bearward.check"] } == ["credentials", "token_form", "credentials"])
        #expect(spans.map { $0.attributes["http.request.method"] } == ["GET", "GET", "_OTHER"])
        #expect(spans.allSatisfy { !$0.isError && $0.attributes["error.type"] == nil })
    }

    @Test(arguments: [(1.0, 1.0), (1, 5), (1, 100), (50, 20), (100, 0)])
    func `a refused request has both chances, and a flood of good ones takes neither (T561)`(
        sample: Double, refused: Double
    ) {
        var generator = RequestIDGenerator()
        var settings = tracing(sample: sample, refused: refused)
        settings.most = 100_000
        let (policy, count, hour) = (TracePolicy(settings), 20_000, Int64(3_600_000_000_000))
        var (good, bad) = (0, 0)
        for number in 0..<count {
            for isRefused in [false, true] {
                let id = RequestID.made(generator.next(), generator.next())
                // So far apart that `most` is never reached.
                let now = Int64(number) * hour
                var trace = RequestTrace(as: id, settings.sample, policy, at: now, using: &generator)
                if isRefused { trace.decideRefused(policy, at: now) }
                guard trace.isRecorded else { continue }
                if isRefused { bad += 1 } else { good += 1 }
            }
        }
        func isNear(_ seen: Int, _ share: Double) -> Bool {
            abs(Double(seen) - share * Double(count)) <= 6 * (share * (1 - share) * Double(count)).squareRoot()
        }
        #expect(isNear(good, sample / 100), "\(good)")
        #expect(isNear(bad, 1 - (1 - sample / 100) * (1 - refused / 100)), "\(bad)")
        // A flood of good requests that uses up `sampled` leaves `refused` as it is.
        while policy.sampled.take(at: .max / 2) {}
        #expect(policy.refused.take(at: .max / 2))
    }

    @Test func `a request whose head is no HTTP has a span too`() async throws {
        let spans = try await exchange(["GET / HTTP/1.1\r\nHost: a\r\nbad field"], settings(tracing(refused: 100)))
            .spans
        #expect(spans.map(\.name) == ["HTTP"])
        #expect(spans.first?.attributes["http.response.status_code"] == "400")
    }

    @Test func `an attempt that failed has the outcome, and the request the reason`() async throws {
        let spans = try await spansWithoutUpstream(settings(tracing(sample: 100)))
        let server = try #require(spans.first { $0.kind == 2 })
        let attempts = spans.filter { $0.kind == 3 }
        #expect(server.isError && server.attributes["error.type"] == "upstream_unreachable")
        #expect(server.attributes["bearward.upstream_error"] != nil)
        #expect(server.attributes["http.response.status_code"] == "502")
        #expect(
            !attempts.isEmpty && attempts.allSatisfy { $0.isError && $0.attributes["error.type"] == "connect_refused" })
        let numbers = attempts.map { $0.attributes["http.request.resend_count"] }
        #expect(numbers == [nil] + (1..<max(1, attempts.count)).map { "\($0)" })
        // The same, where only refused requests are recorded.
        let others = try await spansWithoutUpstream(settings(tracing(refused: 100)))
        #expect(others.map(\.kind) == spans.map(\.kind))
    }

    @Test(arguments: [0.0, 100])
    func `an upstream is named the attempt's span only if that is recorded`(sample: Double) throws {
        var generator = RequestIDGenerator()
        let policy = TracePolicy(tracing(sample: sample))
        let trace = RequestTrace(as: .made(1, 2), policy.settings.sample, policy, at: 0, using: &generator)
        let attempt = SpanID(9)
        var named: TraceContext?
        if case .own(let context, _) = trace.forwarded(under: attempt) { named = context }
        #expect(named == TraceContext(trace.trace, sample > 0 ? attempt : trace.span, isSampled: sample > 0))
    }

    /// Spans of a request whose upstream refuses connections.
    private func spansWithoutUpstream(_ settings: GatewaySettings) async throws -> [DecodedSpan] {
        let result = Outcome()
        let closed = try await RawUpstream.start()
        try await closed.stop()
        try await withGateway(settings, targets: [closed.target]) { gateway in
            let queue = gateway.gateway.state.spans
            queue.collect {}
            let client = try await gateway.connect()
            client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            await result.set(try await client.receiveToEnd(), queue, [])
        }
        return try await result.spans
    }

    // MARK: Whose trace it is

    @Test func `the trace of a trusted peer is continued as it decided`() async throws {
        let heads = ["01", "00"].map {
            "GET /x HTTP/1.1\r\nHost: a\r\ntraceparent: \(Self.parent.dropLast(2))\($0)\r\ntracestate: a=1\r\nbaggage: b=1"
        }
        let (answers, spans, log) = try await exchange(heads, settings(tracing(sample: 100, trusts: Self.loopback)))
        #expect(spans.map(\.kind) == [2, 3])
        #expect(spans[0].trace == "0af7651916cd43dd8448eb211c80319c" && spans[0].parent == "b7ad6b7169203331")
        #expect(spans[0].links.isEmpty)
        // Of a trace that is not recorded, the upstream gets the parent as it was sent.
        #expect(
            values("traceparent", in: answers) == [
                "00-\(spans[0].trace)-\(spans[1].span)-01", "\(Self.parent.dropLast(2))00",
            ])
        #expect(values("tracestate", in: answers) == ["a=1", "a=1"])
        #expect(values("baggage", in: answers) == ["b=1", "b=1"])
        #expect(log.allSatisfy { $0.contains(#""trace_id":"0af7651916cd43dd8448eb211c80319c""#) })
    }

    @Test func `the trace of another client is only linked (T562)`() async throws {
        let head = "GET /x HTTP/1.1\r\nHost: a\r\ntraceparent: \(Self.parent)\r\ntracestate: a=1\r\nbaggage: b=1"
        let (answers, spans, _) = try await exchange([head], settings(tracing(sample: 100, trusts: Self.elsewhere)))
        #expect(spans.map(\.kind) == [2, 3])
        #expect(spans[0].trace != "0af7651916cd43dd8448eb211c80319c" && spans[0].parent.isEmpty)
        #expect(spans[0].links == ["0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"])
        #expect(values("traceparent", in: answers) == ["00-\(spans[0].trace)-\(spans[1].span)-01"])
        #expect(values("tracestate", in: answers).isEmpty && values("baggage", in: answers).isEmpty)
    }

    @Test func `no traceparent of an untrusted client has a request recorded, or not recorded (T562)`() throws {
        var random = SeededGenerator(seed: 1012)
        var generator = RequestIDGenerator()
        var traces: Set<TraceID> = []
        for number in 0..<10_000 {
            var parser = RequestHeadParser()
            let head = "GET /x HTTP/1.1\r\nHost: a\r\n\(Self.traceparent(number, &random))\r\n\r\n"
            #expect(try parser.parse(Array(head.utf8).span) == .complete)
            for (sample, isRecorded) in [(0.0, false), (100, true)] {
                let settings = tracing(sample: sample, trusts: Self.elsewhere)
                let id = RequestID.made(generator.next(), generator.next())
                let policy = TracePolicy(settings)
                let trace =
                    if let received = TraceContext(in: parser.head) {
                        RequestTrace(
                            received, from: IPAddress("127.0.0.1"), as: id, policy, at: 0, using: &generator)
                    } else {
                        RequestTrace(as: id, settings.sample, policy, at: 0, using: &generator)
                    }
                #expect(trace.isRecorded == isRecorded && trace.parent == nil)
                traces.insert(trace.trace)
            }
        }
        #expect(traces.count == 20_000)
    }

    private static let elsewhere = [AddressRange("10.0.0.0/8")].compactMap(\.self)

    @Test func `an upstream is told the gateway's own trace, whatever an untrusted client sent (T562)`() async throws {
        var random = SeededGenerator(seed: 562)
        let forms = (0..<300).map { number in Self.traceparent(number, &random) }
        for (sample, flag) in [(0.0, "-00"), (100.0, "-01")] {
            let (answers, spans, _) = try await exchange(
                forms.map { "GET /x HTTP/1.1\r\nHost: a\r\n\($0)" }, settings(tracing(sample: sample)))
            #expect(spans.count == (sample == 0 ? 0 : 2 * forms.count))
            let forwarded = values("traceparent", in: answers)
            #expect(forwarded.allSatisfy { $0.hasSuffix(flag) && !$0.contains("0af7651916cd43dd8448eb211c80319c") })
            #expect(Set(forwarded.map { $0.prefix(35) }).count == forms.count)
        }
    }

    /// Trace fields: a valid one, or one with a changed, missing or additional byte, twice, or beside other fields.
    private static func traceparent(_ number: Int, _ random: inout SeededGenerator) -> String {
        let printable = Array(" !#$%&'*+-./0123456789abcdefABCDEF_xyz:;=".utf8)
        var bytes = Array(parent.utf8)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[index] = printable.randomElement(using: &random) ?? 0x30
            case 1: bytes.remove(at: index)
            default: bytes.insert(printable.randomElement(using: &random) ?? 0x30, at: index)
            }
        }
        let field = "traceparent: \(String(decoding: bytes, as: UTF8.self))"
        switch number % 6 {
        case 0: return "traceparent: \(parent)"
        case 1: return field
        case 2: return "\(field)\r\ntraceparent: \(parent)"
        case 3: return "\(field)\r\nb3: 80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1"
        case 4: return "X-B3-Sampled: 1\r\nX-Amzn-Trace-Id: Sampled=1\r\n\(field)"
        default: return "TraceParent: \(parent)\r\ntracestate: a=1"
        }
    }

    @Test func `no more requests are recorded in a second than permitted, of either kind (T563)`() async throws {
        let heads = (0..<40).map { $0 % 2 == 0 ? "GET /x HTTP/1.1\r\nHost: a" : "GET /private/x HTTP/1.1\r\nHost: a" }
        var limited = tracing(sample: 0, refused: 100, most: 1)
        let spans = try await exchange(heads, settings(limited)).spans
        #expect((1...3).contains(spans.count))
        #expect(spans.allSatisfy { $0.attributes["http.response.status_code"] == "401" })
        limited.sample = .percent(100)
        let both = try await exchange(heads, settings(limited)).spans.filter { $0.kind == 2 }
        #expect((2...6).contains(both.count))
        #expect(both.contains { $0.attributes["http.response.status_code"] == "401" })
        #expect(both.contains { $0.attributes["http.response.status_code"] == "200" })
    }

    @Test func `without tracing there is no span and no trace_id`() async throws {
        let head = "GET /x HTTP/1.1\r\nHost: a\r\ntraceparent: \(Self.parent)"
        let (answers, spans, log) = try await exchange([head], GatewaySettings(keys: TestKeys.set))
        #expect(spans.isEmpty)
        #expect(values("traceparent", in: answers) == [Self.parent])
        #expect(!log[0].contains("trace_id"))
    }
}
