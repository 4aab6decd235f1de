import AccessControl
import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization
import Telemetry
import TestSupport
import Testing
import TokenVerification

@testable import AuthorizationDoors
@testable import ReverseProxy

/// The head that an upstream sees, field by field.
struct UpstreamRequestHeadTests {
    private func head(
        _ fields: [String], line: String = "GET /a HTTP/1.1", peerIsTrusted: Bool = false,
        settings: GatewaySettings = GatewaySettings(), trace: ForwardedTrace = .received
    ) throws -> String {
        var writer = HeadWriter()
        try write(fields, line: line, peerIsTrusted: peerIsTrusted, settings: settings, trace: trace, into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(
        _ fields: [String], line: String = "GET /a HTTP/1.1", peerIsTrusted: Bool = false,
        settings: GatewaySettings = GatewaySettings(), trace: ForwardedTrace = .received,
        into writer: inout some HeadOutput
    ) throws {
        var parser = RequestHeadParser()
        let text = ([line] + (line.hasSuffix("1.1") ? ["Host: a"] : []) + fields).joined(separator: "\r\n") + "\r\n\r\n"
        let received = Array(text.utf8)
        #expect(try parser.parse(received.span) == .complete)
        let configuration = try settings.configuration(for: [UpstreamTarget(host: "::1", port: 9000)])
        var request = AuthorizationRequest(head: parser.head)
        guard
            case .forward(let forwarding, _) = configuration.authorizer.authorize(&request, at: NumericDate(seconds: 0))
        else {
            throw NotForwarded()
        }
        let group = try #require(forwarding.upstream.flatMap { configuration.upstreams[$0] })
        var random = RequestIDGenerator()
        let head = UpstreamRequestHead(
            forwarding: forwarding, group: group, authority: Array(group.targets[0].authority.utf8),
            edits: configuration.authorizer.edits,
            hop: DownstreamHop(ClientAddress(peer: "192.0.2.1")), peerIsTrusted: peerIsTrusted,
            requestID: RequestID(head: parser.head, peerIsTrusted: peerIsTrusted, using: &random),
            trace: trace
        )
        guard head.write(&request.head, path: request.path.canonical, into: &writer) else { throw NotForwarded() }
    }

    /// True for fields that a proxy writes itself, that are hop-by-hop, or that are always named for removal.
    private static func isOfProxy(_ known: KnownField) -> Bool {
        known.isHopByHop || known.isFraming
            || [
                .host, .authorization, .xForwardedFor, .xForwardedProto, .xRequestID, .via, .expect, .traceparent,
                .tracestate,
            ].contains(
                known)
    }

    @Test(arguments: [false, true])
    func `a door lists for removal exactly the fields that the gateway does not forward`(isTrusted: Bool) throws {
        let known = KnownField.allCases.filter { !Self.isOfProxy($0) }.map {
            String(decoding: FieldName($0).spelling, as: UTF8.self)
        }
        let others = [
            "Remote-User", "Remote.User", "X-Real-Thing", "Forwarded-For", "X-Auth-Subject", "X.Auth.Subject",
            "X-Anything",
        ]
        let edits = try GatewaySettings().configuration(for: []).authorizer.edits
        var forwarded = 0
        for name in known + others + known.map({ $0.replacing("-", with: ".") }) {
            var parser = RequestHeadParser()
            #expect(
                try parser.parse(Array("GET /a HTTP/1.1\r\nHost: a\r\n\(name): seven\r\n\r\n".utf8).span) == .complete)
            let isForwarded = try head(["\(name): seven"], peerIsTrusted: isTrusted).contains(": seven\r\n")
            let isRemoved = !parser.head.unwelcomeNames(edits, isOfTrusted: isTrusted).isEmpty
            #expect(isForwarded == !isRemoved, "\(name)")
            if isForwarded { forwarded += 1 }
        }
        #expect(forwarded > 10)
    }

    @Test func `a request as an HTTP/2 stream has the same fields, except connection fields`() throws {
        let ordinary = [
            "aCCept: */*", "X-A: 1", "Cookie: c=1", "Connection: x-hop", "X-Hop: 1", "TE: trailers",
            "Expect: 100-continue",
        ]
        for (framing, expected) in [("Content-Length: 5", ["content-length: 5"]), ("Transfer-Encoding: chunked", [])] {
            var writer = FieldWriter(scheme: .http)
            try write(ordinary + [framing], line: "POST /a?b=c HTTP/1.1", into: &writer)
            let fields = writer.fields.map { field in
                let (name, value) = (writer.bytes[field.name], writer.bytes[field.value])
                return String(decoding: name, as: UTF8.self) + ": " + String(decoding: value, as: UTF8.self)
            }
            #expect(
                fields.filter { !$0.hasPrefix("x-request-id: ") } == [
                    ":method: POST", ":scheme: http", ":path: /a?b=c", ":authority: a", "accept: */*", "x-a: 1",
                    "cookie: c=1",
                    "expect: 100-continue", "x-forwarded-for: 192.0.2.1", "x-forwarded-proto: http",
                    "x-forwarded-host: a",
                    "via: 1.1 bearward",
                ] + expected + ["te: trailers"])
        }
    }

    private struct NotForwarded: Error {}

    /// The client's fields that were forwarded, without the gateway's own.
    private func passed(_ head: String) -> [String] {
        let always = ["Host:", "X-Forwarded-For:", "X-Request-Id:"]
        let ours = ["X-Forwarded-Proto: http", "X-Forwarded-Host: a", "Via: 1.1 bearward"]
        return fields(head).filter { field in !ours.contains(field) && !always.contains { field.hasPrefix($0) } }
    }

    @Test func `ordinary fields pass in order, byte for byte, repeated ones too (T312, T313)`() throws {
        let ordinary = [
            "aCCept: */*", "X-A: 1", "x-a:  2\t", "X-Empty:", "Cookie: c=1", "X-A: 1", "Te-st: TE", "Max-Forwards: 1",
        ]
        #expect(
            passed(try head(ordinary)) == [
                "aCCept: */*", "X-A: 1", "x-a: 2", "X-Empty: ", "Cookie: c=1", "X-A: 1", "Te-st: TE", "Max-Forwards: 1",
            ])
    }

    @Test(arguments: [
        "Connection: keep-alive", "Keep-Alive: timeout=5", "Proxy-Connection: close", "TE: trailers", "Trailer: X",
        "Upgrade: h2c",
        "HTTP2-Settings: AAAA", "Proxy-Authorization: Basic x", "Proxy-Authenticate: Basic",
        "X-HTTP-Method-Override: DELETE", "X-HTTP-Method: DELETE", "X-Method-Override: DELETE",
        "X_HTTP_Method_Override: DELETE",
        "Authorization: Bearer x", "X_Forwarded_For: 1.1.1.1", "X_Forwarded_User: root", "X.Original.Method: GET",
        "client_cert: x",
        "Proxy: http://evil.example", "PROXY: x", "X-Auth-Subject: root", "x-auth-subject: root",
        "X_Auth_Subject: root",
        "X.Auth.Subject: root", "X~Auth+Subject: root", "X.Forwarded.For: 1.1.1.1", "X!Forwarded'Proto: https",
        "X-Auth_Subject: root", "X_Request_Id: 1",
    ])
    func `hop-by-hop fields and fields that only the gateway may state are not forwarded`(field: String) throws {
        for peerIsTrusted in [false, true] {
            #expect(passed(try head([field], peerIsTrusted: peerIsTrusted)) == [])
        }
    }

    @Test func `fields that Connection names are removed, but not those of the gateway (T304)`() throws {
        let text = try head([
            "Connection: close, X-Hop, X-Auth-Subject, x-forwarded-for, Via", "x-HOP: 1", "X_Hop: 2", "X-Kept: 1",
        ])
        #expect(passed(text) == ["X-Kept: 1"])
        #expect(values("x-forwarded-for", in: text) == ["192.0.2.1"])
        #expect(values("via", in: text) == ["1.1 bearward"])
    }

    @Test func `Connection removes a trusted peer's own fields, but not the gateway's values for them`() throws {
        let nominated = [
            "Connection: X-Forwarded-Proto, X-Forwarded-Host", "X-Forwarded-Proto: https", "X-Forwarded-Host: outer",
        ]
        let text = try head(nominated, peerIsTrusted: true)
        #expect(values("x-forwarded-proto", in: text) == ["http"])
        #expect(values("x-forwarded-host", in: text) == ["a"])
    }

    /// One field of each group, and of each widely used proxy.
    static let proxyFields = [
        "X-Forwarded-User: root", "X-Forwarded-Client-Cert: By=a", "X-Forwarded-Ssl: on", "X-Forwarded-Uri: /",
        "X-Forwarded-Method: GET",
        "X-Forwarded-Scheme: https", "X-Forwarded-Groups: g", "X-Forwarded-Preferred-Username: root",
        "X-Forwarded-Tls-Client-Cert: x",
        "X-Forwarded-By: a", "X-Original-URI: /", "X-Original-Method: GET", "X-Original-Host: a",
        "X-Original-Forwarded-For: 1.1.1.1",
        "X-Client-IP: 1.1.1.1", "True-Client-IP: 1.1.1.1", "Client-IP: 1.1.1.1", "CF-Connecting-IP: 1.1.1.1",
        "Fastly-Client-IP: 1.1.1.1",
        "X-Cluster-Client-IP: 1.1.1.1", "X-Envoy-External-Address: 1.1.1.1", "X-Envoy-Original-Path: /",
        "X-Envoy-Max-Retries: 9",
        "X-Azure-ClientIP: 1.1.1.1", "X-Appengine-Cron: true", "Client-Cert: :AA==:", "Client-Cert-Chain: :AA==:",
        "X-Client-Cert: x",
        "X-ARR-ClientCert: x", "X-ARR-SSL: on", "X-SSL-Client-DN: CN=root", "X-SSL-Client-Verify: 0",
        "SSL-Client-Verify: SUCCESS",
        "SSL_CLIENT_S_DN: CN=root", "X-Amzn-Mtls-Clientcert: x", "Remote-User: root", "Remote-Groups: admins",
        "X-Remote-User: root",
        "X-Remote-Group: system:masters", "X-Auth-Request-Email: root@example", "X-Authenticated-Userid: root",
        "X-WEBAUTH-USER: root",
        "X-Amzn-Oidc-Identity: root", "X-Goog-Authenticated-User-Email: root", "X-MS-CLIENT-PRINCIPAL-NAME: root",
        "X-Consumer-Username: root",
        "Tailscale-User-Login: root", "OIDC_CLAIM_sub: root", "SM_USER: root", "$WSRU: root", "SCRIPT_NAME: /admin",
        "X-Accel-Mapping: /=/x",
        "X-Sendfile-Type: X-Accel-Redirect", "Front-End-Https: on", "X-Url-Scheme: https",
        "HTTP_X_FORWARDED_FOR: 1.1.1.1",
    ]

    @Test(arguments: proxyFields)
    func `proxy fields pass from trusted peers only, and their look-alikes never`(
        field: String
    )
        throws
    {
        for spelling in [field, field.lowercased(), field.uppercased()] {
            #expect(passed(try head([spelling, "X-Kept: 1"])) == ["X-Kept: 1"])
            #expect(passed(try head([spelling, "X-Kept: 1"], peerIsTrusted: true)) == [spelling, "X-Kept: 1"])
        }
        let (name, value) = (field.prefix { $0 != ":" }, field.drop { $0 != ":" })
        for separator in ["!", "#", "&", "'", "+", ".", "^", "`", "|", "~"]
        where name.contains(where: { "-_".contains($0) }) {
            let spelling = String(name.map { "-_".contains($0) ? Character(separator) : $0 }) + value
            for peerIsTrusted in [false, true] {
                #expect(passed(try head([spelling], peerIsTrusted: peerIsTrusted)) == [], "\(spelling)")
            }
        }
    }

    /// Field names forbidden to untrusted peers, in every spelling that a lax parser could accept.
    @Test(arguments: 0..<4) func `no spelling of a reserved or proxy field name passes from a client (T302)`(
        seed: Int
    ) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let names =
            (Self.proxyFields + Self.forwarding).map { String($0.prefix { $0 != ":" }) }.filter { $0 != "Via" }
            + ["X-Auth-Subject", "X-HTTP-Method-Override", "X-Original-URL", "X-Rewrite-URL", "Authorization", "Proxy"]
        let separators = Array("!#$%&'*+-.^_`|~")
        for name in names {
            for _ in 0..<10 {
                let spelling = String(
                    name.map { character in
                        guard character.isLetter || character.isNumber else { return generator.pick(separators) }
                        return Character(generator.once(in: 2) ? character.uppercased() : character.lowercased())
                    })
                #expect(passed(try head(["\(spelling): root", "X-Kept: 1"])) == ["X-Kept: 1"], "\(spelling)")
            }
        }
    }

    static let forwarding = [
        "Forwarded: for=1.1.1.1", "X-Forwarded-For: 1.1.1.1, 2.2.2.2", "X-Forwarded-For: 3.3.3.3",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Host: outer", "X-Forwarded-Port: 443", "X-Forwarded-Prefix: /p", "X-Real-IP: 1.1.1.1",
        "X-Request-Id: theirs",
        "Via: 1.0 edge",
    ]

    @Test func `forwarding fields of an untrusted peer are replaced (T308)`() throws {
        let text = try head(Self.forwarding)
        #expect(passed(text) == [])
        #expect(values("x-forwarded-for", in: text) == ["192.0.2.1"])
        #expect(values("x-forwarded-proto", in: text) == ["http"])
        #expect(values("x-forwarded-host", in: text) == ["a"])
        #expect(values("x-request-id", in: text).first?.utf8.count == 32)
        #expect(values("via", in: text) == ["1.1 bearward"])
    }

    @Test func `forwarding fields of a trusted peer are kept and extended`() throws {
        let text = try head(Self.forwarding, peerIsTrusted: true)
        #expect(
            passed(text) == [
                "Forwarded: for=1.1.1.1", "X-Forwarded-Proto: https", "X-Forwarded-Host: outer",
                "X-Forwarded-Port: 443",
                "X-Forwarded-Prefix: /p",
                "X-Real-IP: 1.1.1.1", "Via: 1.0 edge",
            ])
        #expect(values("x-forwarded-for", in: text) == ["1.1.1.1, 2.2.2.2, 3.3.3.3, 192.0.2.1"])
        #expect(values("x-forwarded-proto", in: text) == ["https"])
        #expect(values("x-forwarded-host", in: text) == ["outer"])
        #expect(values("x-request-id", in: text) == ["theirs"])
        #expect(values("via", in: text) == ["1.0 edge", "1.1 bearward"])
    }

    @Test(
        arguments: [
            // Without a stripped prefix, only a trusted peer states one.
            ("/a", ["/outer"], false, []), ("/a", ["/outer"], true, ["/outer"]),
            ("/a", ["/o", "/p"], true, ["/o", "/p"]),
            ("/shop/x", [], false, ["/shop"]), ("/shop", [], true, ["/shop"]), ("/shop/x", ["/evil"], false, ["/shop"]),
            ("/shop/x", ["/outer"], true, ["/outer, /shop"]),
            ("/shop/x", ["/o, /p", "", "/q"], true, ["/o, /p, /q, /shop"]),
        ] as [(String, [String], Bool, [String])])
    func `the stripped prefix is forwarded, after the prefix of a trusted peer (T308)`(
        target: String, stated: [String], peerIsTrusted: Bool, expected: [String]
    ) throws {
        let fields = stated.map { "X-Forwarded-Prefix: \($0)" }
        let line = "GET \(target) HTTP/1.1"
        #expect(
            values("x-forwarded-prefix", in: try head(fields, line: line, peerIsTrusted: peerIsTrusted)) == expected)
        let lookAlikes = fields.map { $0.replacing("-", with: "_") } + ["X.Forwarded.Prefix: /evil"]
        let text = try head(fields + lookAlikes, line: line, peerIsTrusted: peerIsTrusted)
        #expect(values("x-forwarded-prefix", in: text) == expected)
        #expect(!text.contains("Forwarded_") && !text.contains("Forwarded.") && !text.contains("evil"))
    }

    @Test func `Connection removes a trusted peer's prefix, but not the gateway's`() throws {
        let fields = ["Connection: X-Forwarded-Prefix", "X-Forwarded-Prefix: /outer"]
        let text = try head(fields, line: "GET /shop/x HTTP/1.1", peerIsTrusted: true)
        #expect(values("x-forwarded-prefix", in: text) == ["/shop"])
    }

    @Test(arguments: [
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true),
        ("00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false),
        ("00-00000000000000000000000000000000-b7ad6b7169203331-01", false),
        ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false),
        ("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false),
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1", false),
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x", false),
        ("00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false), ("", false),
    ])
    func `a trace context is forwarded completely or not at all (T315)`(traceparent: String, isKept: Bool) throws {
        let fields = ["traceparent: \(traceparent)", "tracestate: a=1"]
        #expect(passed(try head(fields)) == (isKept ? fields : []))
        #expect(passed(try head(["tracestate: a=1"])) == [])
        #expect(passed(try head(fields + [fields[0]])) == [])
    }

    private static let span = TraceContext(TraceID(1, 2), SpanID(3), isSampled: true)
    private static let spanField = "traceparent: 00-00000000000000010000000000000002-0000000000000003-01"

    @Test(arguments: [
        "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate: a=1", "baggage: a=1",
        "b3: 0", "B3: 0", "X-B3-TraceId: 1", "x_b3_sampled: 1", "uber-trace-id: 1:1:0:1", "uberctx-a: 1",
        "X-Amzn-Trace-Id: Root=1", "X-Cloud-Trace-Context: 1/1;o=1", "grpc-trace-bin: AA", "sw8: 1", "sw8-x: 1",
        "x-datadog-trace-id: 1", "X-Datadog-Sampling-Priority: 2", "sentry-trace: 1", "newrelic: 1",
        "elastic-apm-traceparent: 1", "X-Ot-Span-Context: 1", "ot-tracer-sampled: 1", "X-Dynatrace: 1",
    ])
    func `the trace fields of an untrusted client are removed where the gateway traces (T560)`(field: String) throws {
        let text = try head([field, "X-B: kept"], trace: .own(Self.span, keepsOthers: false))
        #expect(passed(text) == ["X-B: kept", Self.spanField])
        // Without tracing, a service of the client's own may still use them.
        if !field.hasPrefix("trace") { #expect(passed(try head([field])) == [field]) }
    }

    @Test func `the other trace fields of a trusted parent are forwarded, with the gateway's span (T560)`() throws {
        let fields = ["tracestate: a=1", "baggage: b=1", "b3: 0"]
        let text = try head(
            [Self.spanField.replacing("3-01", with: "4-00")] + fields, trace: .own(Self.span, keepsOthers: true))
        #expect(passed(text) == fields + [Self.spanField])
    }

    @Test(
        arguments: [
            ("/a", "", "/a"), ("/a/%7eb?x=%7e&y", "", "/a/~b?x=%7e&y"), ("/a?", "", "/a?"), ("/", "", "/"),
            ("http://a/x?y", "", "/x?y"),
            ("http://a", "", "/"),
            ("/shop/x/", "", "/x/"), ("/shop", "", "/"), ("/shop/", "", "/"), ("/shop?q", "/base", "/base?q"),
            ("/shop/x", "/base", "/base/x"),
            ("/x", "/base/v1", "/base/v1/x"), ("/a%2fb", "", nil), ("/%C3%A4", "", "/%C3%A4"),
            ("/%c3%a4", "", "/%C3%A4"),
        ] as [(String, String, String?)])
    func `the forwarded target is the judged path below the base path, with the query unchanged (T285)`(
        target: String, base: String, sent: String?
    )
        throws
    {
        var settings = GatewaySettings()
        settings.basePath = Array(base.utf8)
        if let sent {
            #expect(
                firstLine(try head([], line: "GET \(target) HTTP/1.1", settings: settings)) == "GET \(sent) HTTP/1.1")
        } else {
            #expect(throws: NotForwarded.self) { try head([], line: "GET \(target) HTTP/1.1", settings: settings) }
        }
    }

    @Test func `the forwarded host is the client's, the configured one, or the target's for HTTP/1.0 without Host`()
        throws
    {
        #expect(values("host", in: try head([])) == ["a"])
        var settings = GatewaySettings()
        settings.hostOverride = "inner.example"
        #expect(values("host", in: try head([], settings: settings)) == ["inner.example"])
        #expect(values("host", in: try head([], line: "GET /a HTTP/1.0")) == ["[::1]:9000"])
    }

    @Test func `message framing is rewritten, and Expect is forwarded`() throws {
        #expect(passed(try head(["Content-Length: 5"])) == ["Content-Length: 5"])
        #expect(passed(try head(["Content-Length: 0"])) == ["Content-Length: 0"])
        #expect(passed(try head(["transfer-encoding: CHUNKED"])) == ["Transfer-Encoding: chunked"])
        #expect(
            passed(try head(["Expect: 100-Continue", "Content-Length: 5"])) == [
                "Expect: 100-Continue", "Content-Length: 5",
            ])
        #expect(
            passed(try head(["Expect: 100-continue", "Content-Length: 5"], line: "POST /a HTTP/1.0")).contains(
                "Content-Length: 5"))
        #expect(
            !passed(try head(["Expect: 100-continue", "Content-Length: 5"], line: "POST /a HTTP/1.0")).contains(
                "Expect: 100-continue"))
    }
}
