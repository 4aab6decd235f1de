import ProxySettings
import RequestAuthorization
import Testing

@testable import ReverseProxy

/// Metrics of requests and of attempts at upstreams, over real sockets.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayMetricsTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func series(_ status: StatusClass, resource: String = "open", rule: String = "ANY /**")
        -> [String]
    {
        [resource, rule, status.label]
    }

    /// The request metrics, once the given number of requests is counted.
    private func figures(_ count: UInt64, _ gateway: GatewayFixture) async throws -> [[String]: SeriesSum] {
        var figures: [[String]: SeriesSum] = [:]
        _ = try await holds {
            figures = gateway.gateway.state.requestCounts.sums.all
            return figures.values.map { $0.buckets.reduce(0, +) }.reduce(0, +) >= count
        }
        return figures
    }

    // MARK: Requests

    @Test func `requests are counted by rule and status, with durations and bytes`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            var answers = ""
            for status in ["200 OK", "404 Not Found", "200 OK"] {
                client.send(Self.get)
                let server = try await gateway.upstream.connection()
                _ = try await server.receive(through: "\r\n\r\n")
                try await Task.sleep(for: .milliseconds(3))
                server.send("HTTP/1.1 \(status)\r\nDate: d\r\nContent-Length: 2\r\n\r\nok")
                let answer = try await client.receive(through: "\r\n\r\nok")
                if status == "200 OK" { answers += answer }
            }
            client.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await client.receive(through: "}")
            let figures = try await figures(4, gateway)
            #expect(
                figures.mapValues { $0.buckets.reduce(0, +) } == [
                    Self.series(.successful): 2, Self.series(.clientError): 1,
                    Self.series(.clientError, resource: "closed"): 1,
                ])
            let good = try #require(figures[Self.series(.successful)])
            #expect(good.counter(0) == UInt64(Self.get.utf8.count * 2))
            #expect(good.counter(1) == UInt64(answers.utf8.count))
            // The upstream took 3 ms for each, so none is within the first two buckets.
            #expect(good.buckets.prefix(2) == [0, 0])
            #expect((0.006...10).contains(good.seconds))
        }
    }

    @Test func `a malformed request is counted without names, and a client that disconnects without a status`()
        async throws
    {
        try await withGateway { gateway in
            let bad = try await gateway.connect()
            bad.send("GET nowhere\r\n\r\n")
            _ = try await bad.receiveToEnd()
            let gone = try await gateway.connect()
            gone.send(Self.get)
            _ = try await gateway.upstream.connection().receive(through: "\r\n\r\n")
            try await gone.reset()
            let figures = try await figures(2, gateway)
            #expect(Set(figures.keys) == [Self.series(.clientError, resource: "", rule: ""), Self.series(.none)])
            try await expectOutcomes([.abandoned: 1], gateway)
        }
    }

    @Test func `a reload loses no counts, and a request of an earlier generation is counted too`() async throws {
        let settings = GatewaySettings()
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            await gateway.gateway.reload(try settings.configuration(for: [gateway.upstream.target], generation: 2))
            for number in 1...2 {
                server.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)")
                _ = try await client.receive(through: "\r\n\r\n\(number)")
                guard number == 1 else { break }
                client.send(Self.get)
                _ = try await server.receive(through: "\r\n\r\n")
            }
            let figures = try await figures(2, gateway)
            #expect(figures.mapValues { $0.buckets.reduce(0, +) } == [Self.series(.successful): 2])
            try await expectOutcomes([.successful: 2], gateway)
        }
    }

    // MARK: Upstreams

    @Test func `the duration of an attempt ends with the response head, not with the body`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nho")
            _ = try await client.receive(through: "\r\n\r\nho")
            try await Task.sleep(for: .milliseconds(60))
            server.send("ho")
            _ = try await client.receive(through: "ho")
            try await expectOutcomes([.successful: 1], gateway)
            let upstream = try #require(
                gateway.gateway.state.attempts.sums.all[["127.0.0.1:\(gateway.upstream.target.port)"]])
            let requests = try await figures(1, gateway)
            let whole = try #require(requests[Self.series(.successful)]).seconds
            #expect(whole >= 0.06)
            #expect(upstream.seconds <= whole - 0.06)
        }
    }

    @Test func `a target that refuses connections is reported in the access log and in the metrics`() async throws {
        let dead = try await RawUpstream.start()
        let target = dead.target
        try await dead.stop()
        try await withGateway(targets: [target]) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            _ = try await client.receive(through: "}")
            #expect(upstreamError(in: try #require(try await gateway.logLines(1).first)) == "connection refused")
            try await expectOutcomes([.connectRefused: 2], gateway)
        }
    }

    @Test(arguments: [
        ("", UpstreamOutcome.reset, "the connection ended before a response"),
        ("HTTP/1.1 20", .reset, "the connection ended before the final head of the response was complete"),
        (
            "HTTP/1.1 103 Early Hints\r\n\r\n", .reset,
            "the connection ended before the final head of the response was complete"
        ),
        (
            "HTTP/9.9 200\r\n\r\n", .invalidResponse,
            "the response is not relayed: its version is neither HTTP/1.1 nor HTTP/1.0"
        ),
    ])
    func `the access log reports what an upstream did in place of a valid answer`(
        bytes: String, outcome: UpstreamOutcome, error: String
    )
        async throws
    {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            try await server.sendAll(Array(bytes.utf8))
            server.close()
            _ = try await client.receive(through: "}")
            #expect(upstreamError(in: try #require(try await gateway.logLines(1).first)) == error)
            try await expectOutcomes([outcome: 1], gateway)
        }
    }

    @Test func `a timeout is logged by its name in the configuration file`() async throws {
        var settings = GatewaySettings()
        settings.timeouts.firstByte = .milliseconds(300)
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 504 Gateway Timeout")
            #expect(
                upstreamError(in: try #require(try await gateway.logLines(1).first)) == "no response within first_byte")
            try await expectOutcomes([.responseTimeout: 1], gateway)
        }
    }

    @Test func `a response that breaks off is logged, and its attempt counts as answered`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            try await server.sendAll(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".utf8))
            _ = try await client.receive(through: "half")
            server.close()
            #expect(try await client.ends())
            let line = try #require(try await gateway.logLines(1).first)
            #expect(upstreamError(in: line) == "the connection ended within the body of the response")
            try await expectOutcomes([.successful: 1], gateway)
        }
    }

    @Test func `a request saved by a retry is logged without the error of the first attempt`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            for index in 0...1 {
                client.send(Self.get)
                let server = try await gateway.upstream.connection(index)
                _ = try await server.receive(through: "\r\n\r\n")
                server.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                _ = try await client.receive(through: "\r\n\r\nok")
                guard index == 0 else { break }
                client.send(Self.get)
                _ = try await server.receive(through: "\r\n\r\n")
                server.close()
                let second = try await gateway.upstream.connection(1)
                _ = try await second.receive(through: "\r\n\r\n")
                second.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                _ = try await client.receive(through: "\r\n\r\nok")
            }
            #expect(try await gateway.logLines(3).allSatisfy { upstreamError(in: $0) == nil })
            try await expectOutcomes([.successful: 3, .reset: 1], gateway)
        }
    }
}
