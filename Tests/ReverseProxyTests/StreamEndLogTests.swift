import Foundation
import ProxySettings
import TestSupport
import Testing

@testable import ReverseProxy

/// Access log lines of streams that ended with their permission.
@Suite(.timeLimit(.minutes(1))) struct StreamEndLogTests {
    @Test func `the line of an expired stream says when it began and when it was ended`() async throws {
        var settings = GatewaySettings()
        settings.keys = TestKeys.set
        try await withGateway(settings) { gateway in
            // Valid for two more seconds, by a leeway of a minute.
            let expiry = Int(Date.now.timeIntervalSince1970) - 58
            let token = TestToken.good.with("iss", #""https://idp.example""#).with("exp", "\(expiry)")
                .with("iat", "\(expiry - 900)").signed(by: TestKeys.rsa)
            let client = try await gateway.connect()
            client.send(
                "GET /private/7 HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\nAuthorization: Bearer \(token)\r\n\r\n"
            )
            let server = try await gateway.upstream.connection(0)
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n:\n\n\r\n"
            )
            _ = try await client.receive(through: "0\r\n\r\n")
            let line = try #require(try await gateway.logLines(1).first)
            #expect(line.contains(#""reason":"expired""#), "\(line)")
            let told = try #require(
                line.firstMatch(
                    of:
                        /"detail":"exp (\S+Z), iat \S+Z; the stream began at (\S+Z) and was ended at (\S+Z), leeway 60 s"/
                ),
                "\(line)")
            let times = try [told.1, told.2, told.3].map { try Date(String($0), strategy: .iso8601) }
            #expect(times[0] < times[1] && times[1] < times[2], "\(line)")
            #expect(times[2].timeIntervalSince(times[0]) >= 60)
        }
    }
}
