import NetworkNames
import ProxySettings
import Testing

@testable import ReverseProxy

/// Fields that are forwarded, over sockets and both protocols. The tests of `UpstreamRequestHead` have the full tables.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayFieldTests {
    private static func settings(_ protocols: ListenerProtocols, trusted: Bool = false) throws -> GatewaySettings {
        var settings = GatewaySettings()
        settings.service = .plain(protocols)
        settings.trustedProxies = trusted ? [try #require(AddressRange("127.0.0.0/8"))] : []
        return settings
    }

    /// Fields that only a trusted proxy may send, in the lower case of HTTP/2.
    private static let stated = [
        "x-forwarded-user", "x-forwarded-client-cert", "remote-user", "client-cert", "x-original-uri",
        "cf-connecting-ip",
    ]
    private static let lookAlikes = [
        "x_forwarded_user", "x.forwarded.client.cert", "remote~user", "x.auth.subject", "x+auth'subject", "proxy",
        "x-http-method-override", "x.http.method",
    ]

    /// The names of the fields that reach the upstream.
    private func names(_ gateway: GatewayFixture, _ protocols: ListenerProtocols) async throws -> [String] {
        let all = Self.stated + Self.lookAlikes + ["x-kept"]
        if protocols == .http1 {
            let client = try await gateway.connect()
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n" + all.map { "\($0): root\r\n" }.joined() + "\r\n")
            return try await received(gateway)
        }
        let client = try await HTTP2Peer.connect(gateway)
        client.request(HTTP2Peer.usual + all.map { ($0, "root") })
        return try await received(gateway)
    }

    private func received(_ gateway: GatewayFixture) async throws -> [String] {
        let head = try await gateway.upstream.connection().receive(through: "\r\n\r\n")
        return fields(head).map { $0.prefix { $0 != ":" }.lowercased() }
    }

    @Test(arguments: [ListenerProtocols.http1, .http2])
    func `identity and proxy fields from an untrusted client are not forwarded`(protocols: ListenerProtocols)
        async throws
    {
        let ours = ["host", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "via", "x-request-id"]
        try await withGateway(try Self.settings(protocols)) { gateway in
            let names = Set(try await names(gateway, protocols))
            #expect(names == Set(ours + ["x-kept"]))
        }
        try await withGateway(try Self.settings(protocols, trusted: true)) { gateway in
            let names = Set(try await names(gateway, protocols))
            #expect(names == Set(ours + Self.stated + ["x-kept"]))
        }
    }

    @Test func `identity fields from an upstream are removed, in any spelling, in the head and in trailers`()
        async throws
    {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET /a HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: TE\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            let names = ["X-Auth-Subject", "X_Auth_Subject", "X.Auth.Subject", "x~auth+subject", "X-Kept"]
            let lines = names.map { "\($0): forged\r\n" }.joined()
            server.send(
                "HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\(lines)\r\n2\r\nok\r\n0\r\n\(lines)\r\n")
            let head = try await client.receive(through: "\r\n\r\n")
            #expect(fields(head).filter { $0.hasSuffix("forged") } == ["X-Kept: forged"])
            #expect(try await client.receive(through: "\r\n\r\n") == "2\r\nok\r\n0\r\nX-Kept: forged\r\n\r\n")
        }
    }

    @Test(arguments: ["get", "Get", "geT", "post", "oPTIONS", "connect", "Trace", "version-Control"])
    func `a registered method in another letter case is 400 over HTTP/1.1 and HTTP/2, and never forwarded`(
        method: String
    )
        async throws
    {
        try await withGateway(try Self.settings(.http1)) { gateway in
            let client = try await gateway.connect()
            client.send("\(method) /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(firstLine(try await client.receiveToEnd()) == "HTTP/1.1 400 Bad Request")
            #expect(try await gateway.logLines(1).first?.contains("\"bad_request\"") == true)
            #expect(gateway.upstream.connectionCount == 0)
        }
        try await withGateway(try Self.settings(.http2)) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request([(":method", method)] + HTTP2Peer.usual.dropFirst())
            #expect(try await client.answer().status == "400")
            #expect(try await gateway.logLines(1).first?.contains("\"bad_request\"") == true)
            #expect(gateway.upstream.connectionCount == 0)
        }
    }

    @Test(arguments: ["purge", "Brew", "GETS"])
    func `an unregistered method is forwarded in any letter case, over HTTP/1.1 and HTTP/2`(method: String) async throws
    {
        for protocols in [ListenerProtocols.http1, .http2] {
            try await withGateway(try Self.settings(protocols)) { gateway in
                if protocols == .http1 {
                    try await gateway.connect().send("\(method) /a HTTP/1.1\r\nHost: a\r\n\r\n")
                } else {
                    try await HTTP2Peer.connect(gateway).request([(":method", method)] + HTTP2Peer.usual.dropFirst())
                }
                let head = try await gateway.upstream.connection().receive(through: "\r\n\r\n")
                #expect(firstLine(head) == "\(method) /a HTTP/1.1")
            }
        }
    }
}
