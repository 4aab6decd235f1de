import NIOHTTP1
import TestSupport
import Testing

/// Fields of a client that reach an upstream, and fields of an upstream that reach a client.
@Suite(.serialized) final class ThreatFieldTests {
    /// Cases in which a client sends identity fields of another user, each with a name and its fields.
    static let spoofed: [(String, [String])] = [
        ("T301 as it is written", ["X-Auth-Subject: admin"]),
        ("T301 in lower case", ["x-auth-subject: admin"]),
        ("T301 in upper case", ["X-AUTH-SUBJECT: admin"]),
        ("T302 with underscores", ["X_Auth_Subject: admin"]),
        ("T302 with one underscore", ["X-Auth_Subject: admin"]),
        ("T302 with dots", ["X.Auth.Subject: admin"]),
        ("T302 with other characters", ["X~Auth+Subject: admin", "x!auth'subject: root"]),
        ("T303 twice", ["X-Auth-Subject: admin", "X-Auth-Subject: root"]),
        ("T304 nominated", ["Connection: X-Auth-Subject", "X-Auth-Subject: admin"]),
        ("T304 ours nominated", ["Connection: x-auth-subject"]),
    ]

    @Test func `T301–T304 no client can claim another identity, not even on public rules`() async throws {
        let lab = try await ThreatLab.start()
        for (name, fields) in Self.spoofed {
            let seen = try #require(
                try lab.ask("GET /orders HTTP/1.1", fields + ["Authorization: Bearer GOOD"]).request, "\(name)"
            ).fields
            #expect(seen["X-Auth-Subject"] == ["user-1"], "\(name): \(seen)")
            #expect(!seen.contains { $0.name.contains("_") }, "\(name): \(seen)")
            let open = try #require(try lab.ask("GET /public/x HTTP/1.1", fields).request, "\(name)").fields
            #expect(!open.contains { Self.resembles($0.name, "x-auth-subject") }, "\(name): \(open)")
        }
        await lab.stop()
    }

    @Test func `T256 bytes above 0x7F pass unchanged in fields that the gateway does not read, and in no others`()
        async throws
    {
        let lab = try await ThreatLab.start()
        let passed = ["Cookie": "name=Jürgen; a=b", "X-City": "Zürich", "User-Agent": "Acme™/1.0"]
        let seen = try #require(try lab.ask("GET /public/x HTTP/1.1", passed.map { "\($0): \($1)" }).request).fields
        for (name, value) in passed { #expect(seen[name] == [value], "\(name): \(seen)") }
        for field in [
            "X-Request-ID: é", "Origin: https://é.example", "X-Forwarded-For: é", "X-Auth-Subject: é",
            "X-City: a\u{E0}",
        ] {
            let asked = try lab.ask("GET /public/x HTTP/1.1", [field])
            #expect(asked.response.hasPrefix("HTTP/1.1 400 ") && asked.request == nil, "\(field): \(asked)")
        }
        await lab.stop()
    }

    private static func resembles(_ name: String, _ other: String) -> Bool {
        name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" }.elementsEqual(other)
    }

    /// Fields from which applications behind other proxies take users, addresses, certificates and paths.
    static let otherProxies = [
        "X-Forwarded-User: admin", "X-Forwarded-Email: admin@example", "X-Forwarded-Client-Cert: Subject=admin",
        "X-Forwarded-Ssl: on",
        "X-Forwarded-Uri: /public/x", "X-Forwarded-Method: GET", "X-Forwarded-Scheme: https",
        "X-Original-Uri: /public/x",
        "X-Original-Method: GET", "Client-Cert: :AA==:", "Client-Cert-Chain: :AA==:", "Remote-User: admin",
        "X-Client-IP: 10.0.0.1",
        "True-Client-IP: 10.0.0.1", "X-SSL-Client-DN: CN=admin", "X-Remote-User: admin", "X-Auth-Request-User: admin",
        "CF-Connecting-IP: 10.0.0.1", "X-Envoy-External-Address: 10.0.0.1", "X-Goog-Authenticated-User-Email: admin",
        "X-MS-Client-Principal: e30=", "X-Amzn-Oidc-Identity: admin", "Ssl-Client-Verify: SUCCESS",
    ]

    @Test func `T308 identity fields of other proxies pass from a trusted proxy only`() async throws {
        let lookAlikes = Self.otherProxies.map { field in
            String(field.prefix { $0 != ":" }.map { $0 == "-" ? "." : $0 }) + field.drop { $0 != ":" }
        }
        let lab = try await ThreatLab.start()
        let others = ["Proxy: http://else.example", "Accept: */*"]
        let seen = try #require(try lab.ask("GET /public/x HTTP/1.1", Self.otherProxies + lookAlikes + others).request)
            .fields
        let ours = [
            "host", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "via", "x-request-id", "accept",
        ]
        #expect(Set(seen.map { $0.name.lowercased() }) == Set(ours), "\(seen)")
        await lab.stop()
        let trusting = try await ThreatLab.start { "trusted_proxies: [127.0.0.0/8]\n" + $0 }
        let passed = try #require(
            try trusting.ask("GET /public/x HTTP/1.1", Self.otherProxies + lookAlikes + others).request
        ).fields
        for field in Self.otherProxies {
            let (name, value) = (field.prefix { $0 != ":" }, field.drop { $0 != ":" }.dropFirst(2))
            #expect(passed[String(name)] == [String(value)], "\(field)")
        }
        #expect(!passed.contains { $0.name.contains(".") || $0.name == "Proxy" }, "\(passed)")
        await trusting.stop()
    }

    @Test func `T110 a bad signature, an unknown key and a wrong audience are answered alike, byte for byte`()
        async throws
    {
        let lab = try await ThreatLab.start()
        let good = lab.tokens.good
        let answers = try [
            good.signed(by: ThreatTokens.other), lab.tokens.signed(good.withHeader("kid", #""k2""#)),
            lab.tokens.signed(good.with("aud", #""else""#)), "a.b.c",
        ].map { token in
            try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(token)"]).response
                .replacing(/(?i)\r\n(date|x-request-id): [^\r]*/, with: "").replacing(
                    /"request_id":"[0-9a-f]{32}"/, with: "")
        }
        #expect(answers.allSatisfy { $0 == answers[0] && $0.hasPrefix("HTTP/1.1 401 ") }, "\(answers)")
        await lab.stop()
    }

    static let nominated = [
        "Host", "Content-Length", "Transfer-Encoding", "Authorization", "authorization, close", "close, hOsT",
    ]

    @Test func `T304 a Connection field that names an essential field is 400`() async throws {
        let lab = try await ThreatLab.start()
        for names in Self.nominated {
            let (response, request) = try lab.ask(
                "GET /orders HTTP/1.1", ["Authorization: Bearer GOOD", "Connection: \(names)"])
            #expect(response.hasPrefix("HTTP/1.1 400 "), "\(names)")
            #expect(request == nil)
        }
        await lab.stop()
    }

    @Test func `T307, T308, T310, T311 hop-by-hop fields are removed, and the gateway's fields replace a client's`()
        async throws
    {
        let lab = try await ThreatLab.start()
        let clientFields = [
            "X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: https", "X-Forwarded-Port: 443",
            "X-Forwarded-Prefix: /admin",
            "X-Forwarded-Host: else.example", "Forwarded: for=203.0.113.9", "X-Real-IP: 203.0.113.9", "Via: 1.1 else",
        ]
        let ending = [
            "TE: trailers", "Trailer: X", "Upgrade: h2c", "Proxy-Connection: keep-alive",
            "Proxy-Authorization: Basic YTpi",
            "Keep-Alive: 5",
            "HTTP2-Settings: AA", "X-HTTP-Method-Override: DELETE", "X-Original-URL: /public/x",
        ]
        let seen = try #require(
            try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer GOOD"] + clientFields + ending).request
        ).fields
        #expect(seen["X-Forwarded-For"] == ["127.0.0.1"])
        #expect(seen["X-Forwarded-Proto"] == ["http"])
        #expect(seen["X-Forwarded-Host"] == ["lab.example"])
        #expect(seen["Via"] == ["1.1 bearward"])
        #expect(seen["Host"] == ["lab.example"])
        let names = [
            "Authorization", "X-Forwarded-Port", "X-Forwarded-Prefix", "Forwarded", "X-Real-IP", "TE", "Trailer",
            "Upgrade",
            "Proxy-Connection",
            "Proxy-Authorization", "Keep-Alive", "HTTP2-Settings", "X-HTTP-Method-Override", "X-Original-URL",
            "Connection",
        ]
        for name in names { #expect(seen[name].isEmpty, "\(name)") }
        await lab.stop()
    }

    @Test func `T308 the stripped prefix is forwarded, after a prefix of a trusted proxy only`()
        async throws
    {
        for (trust, stated) in [("", "/billing"), ("trusted_proxies: [127.0.0.0/8]\n", "/outer, /billing")] {
            let lab = try await ThreatLab.start { file in
                trust
                    + file.replacing(
                        "issuers: [iss, other]", with: "strip_prefix: true\n    issuers: [iss]\n    audiences: [api]")
            }
            let fields = ["Authorization: Bearer GOOD", "X-Forwarded-Prefix: /outer", "X_Forwarded_Prefix: /outer"]
            let seen = try #require(try lab.ask("GET /billing/7 HTTP/1.1", fields).request)
            #expect(seen.path == "/7")
            #expect(seen.fields["X-Forwarded-Prefix"] == [stated])
            #expect(!seen.fields.contains { $0.name.contains("_") })
            await lab.stop()
        }
    }

    private static let handshake = [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ]

    /// Fields that a client sends with a handshake, with the resulting status and the subprotocols offered to the
    /// upstream.
    static let offers: [(String, [String], status: Int, offered: [String])] = [
        ("GET /orders/ws", ["Sec-WebSocket-Protocol: bearer, GOOD"], 200, []),
        ("GET /orders/ws", ["Sec-WebSocket-Protocol: chat, BEARER,GOOD"], 200, ["chat"]),
        ("GET /orders/ws", ["Sec-WebSocket-Protocol: chat", "Authorization: Bearer GOOD"], 200, ["chat"]),
        ("GET /orders/ws", ["Sec-WebSocket-Protocol: bearer, GOOD", "Authorization: Bearer GOOD"], 400, []),
        ("GET /orders/ws", ["Sec-WebSocket-Protocol: bearer, GOOD, bearer, GOOD"], 400, []),
        ("GET /orders/ws", ["Sec-WebSocket-Protocol: bearer", "Sec-WebSocket-Protocol: GOOD"], 400, []),
        ("GET /orders/ws", ["Sec-WebSocket-Protocol: bearer"], 400, []),
        ("GET /orders/ws?access_token=x", ["Sec-WebSocket-Protocol: bearer, GOOD"], 400, []),
        ("GET /orders/ws", ["Connection: Sec-WebSocket-Protocol", "Sec-WebSocket-Protocol: bearer, GOOD"], 400, []),
        ("GET /orders/ws", ["Sec_WebSocket_Protocol: bearer, GOOD"], 401, []),
        ("GET /orders/ws", ["Sec-WebSocket-Protocol: jwt, GOOD"], 401, []),
        ("GET /orders/admin", ["Sec-WebSocket-Protocol: bearer, GOOD"], 403, []),
        ("GET /orders/ws", ["Origin: http://lab.example", "Sec-WebSocket-Protocol: bearer, GOOD"], 200, []),
        ("GET /public/ws", ["Sec-WebSocket-Protocol: a, bearer, GOOD, bearer, GOOD, b"], 200, ["a, b"]),
        ("GET /orders/ws", ["Sec-WebSocket-Protocol: bearer, GOOD, GOOD"], 400, []),
        ("GET /orders/ws", ["Sec-WebSocket-Protocol: GOOD, a, bearer"], 400, []),
        ("GET /public/ws", ["Sec-WebSocket-Protocol: bearer, GOOD, GOOD, b"], 200, ["b"]),
        ("GET /public/ws", ["Sec-WebSocket-Protocol: GOOD, a, bearer"], 200, ["a"]),
        ("GET /billing/observed", ["Sec-WebSocket-Protocol: bearer, GOOD, a, GOOD"], 200, ["a"]),
        ("GET /public/ws", ["Sec-WebSocket-Protocol: bearer", "sec-websocket-protocol: GOOD, c"], 200, ["c"]),
        ("GET /public/ws", ["Sec_WebSocket_Protocol: bearer, GOOD", "sec.websocket.protocol: GOOD"], 200, []),
        ("GET /billing/observed", ["Sec-WebSocket-Protocol: bearer, GOOD, d"], 200, ["d"]),
    ]

    @Test func `T447 a token among the subprotocols opens a WebSocket, and is not forwarded`() async throws {
        let observing = "    at: [lab.example/billing]\n    mode: {observe: {until: 2099-12-24}}\n"
        let lab = try await ThreatLab.start { text in
            text.replacing(
                "    at: [lab.example]\n", with: "    at: [lab.example]\n    websocket: {token: subprotocol}\n"
            )
            .replacing("    at: [lab.example/billing]\n", with: observing)
        }
        for (line, fields, status, offered) in Self.offers {
            let (response, request) = try lab.ask("\(line) HTTP/1.1", Self.handshake + fields)
            #expect(response.hasPrefix("HTTP/1.1 \(status) "), "\(line) \(fields): \(response)")
            #expect((request != nil) == (status == 200), "\(line) \(fields)")
            guard let request else { continue }
            #expect(request.fields["Sec-WebSocket-Protocol"] == offered, "\(line) \(fields)")
            #expect(!request.fields.contains { $0.value.contains(lab.tokens.goodText) }, "\(line) \(fields)")
        }
        // A token among subprotocols is ignored in a request that opens no WebSocket.
        let (plain, none) = try lab.ask("GET /orders/ws HTTP/1.1", ["Sec-WebSocket-Protocol: bearer, GOOD"])
        #expect(plain.hasPrefix("HTTP/1.1 400 ") && none == nil)
        await lab.stop()
        #expect(!lab.served.gateway.standardOutput.contains(lab.tokens.goodText))
    }

    @Test func `T448 a page of another site cannot open a WebSocket, with or without a token`() async throws {
        let lab = try await ThreatLab.start { text in
            text.replacing(
                "    at: [lab.example]\n",
                with: "    at: [lab.example]\n    websocket: {origins: [https://app.example]}\n")
        }
        for path in ["/orders/ws", "/public/ws"] {
            for origin in ["https://evil.example", "null", "http://lab.example", "https://app.example.evil"] {
                let (response, request) = try lab.ask(
                    "GET \(path) HTTP/1.1",
                    Self.handshake + ["Origin: \(origin)", "Authorization: Bearer GOOD", "Cookie: session=1"])
                #expect(
                    response.hasPrefix("HTTP/1.1 403 ") && !response.contains("WWW-Authenticate"), "\(path) \(origin)")
                #expect(request == nil, "\(path) \(origin)")
            }
            let fields = Self.handshake + ["Origin: https://app.example", "Authorization: Bearer GOOD"]
            #expect(try lab.ask("GET \(path) HTTP/1.1", fields).request != nil, "\(path)")
        }
        await lab.stop()
        #expect(lab.served.gateway.standardOutput.contains("\"reason\":\"origin_refused\""))
    }

    @Test func `T309 an IPv4 address in IPv6 form counts as IPv4, and an address with a zone is ignored`() async throws
    {
        let lab = try await ThreatLab.start { "trusted_proxies: [127.0.0.0/8, 10.0.0.0/8]\n" + $0 }
        for (field, client) in [("192.0.2.7, ::ffff:10.0.0.1", "192.0.2.7"), ("192.0.2.7, fe80::1%eth0", "127.0.0.1")] {
            _ = try lab.ask("GET /public/x HTTP/1.1", ["X-Forwarded-For: \(field)"])
            #expect(
                await BearwardProcess.wait(until: {
                    lab.served.gateway.standardOutput.contains("\"client\":\"\(client)\"")
                }), "\(field)")
        }
        await lab.stop()
    }

    @Test func `T312, T313 all other fields are forwarded unchanged, in their order`() async throws {
        let lab = try await ThreatLab.start()
        var fields = (0..<50).map { "X-Same: \($0)" }
        fields += ["x-LOWER: v", "X-Empty:", "X-Long: \(String(repeating: "l", count: 8000))", "Cookie: a=1; b=2"]
        let seen = try #require(try lab.ask("GET /public/x HTTP/1.1", fields).request).fields
        #expect(seen["X-Same"] == (0..<50).map(String.init))
        #expect(seen.contains { $0.name == "x-LOWER" && $0.value == "v" })
        #expect(seen["X-Empty"] == [""])
        #expect(seen["X-Long"].first?.count == 8000)
        #expect(seen["Cookie"] == ["a=1; b=2"])
        await lab.stop()
    }

    @Test func `T305, T306 claims are forwarded in an encoding that cannot contain line ends`() async throws {
        let lab = try await ThreatLab.start {
            $0.replacing("scopes: X-Auth-Scope}", with: "scopes: X-Auth-Scope}\n      claims: {x: X-Claim}")
        }
        let values = [
            (#""a\r\nX-Admin: 1""#, "a%0D%0AX-Admin: 1"), (#""é""#, "%C3%A9"), (#"{"a":["\n"]}"#, #"{"a":["\n"]}"#),
            ("[1, 2]", "[1,2]"),
            ("true", "true"),
        ]
        for (claim, field) in values {
            let token = lab.tokens.signed(lab.tokens.good.with("x", claim))
            let seen = try #require(
                try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(token)"]).request, "\(claim)"
            ).fields
            #expect(seen["X-Claim"] == [field], "\(claim)")
            #expect(seen["X-Admin"].isEmpty)
        }
        let long = lab.tokens.signed(lab.tokens.good.with("x", "\"\(String(repeating: "c", count: 5000))\""))
        let (response, request) = try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(long)"])
        #expect(response.hasPrefix("HTTP/1.1 403 "))
        #expect(request == nil)
        await lab.stop()
    }

    @Test
    func `T314, T331, T340 an upstream's identity fields are removed, and its other fields and bytes pass`()
        async throws
    {
        let lab = try await ThreatLab.start()
        let cookies = try lab.ask("GET /public/cookies HTTP/1.1", []).response
        #expect(!cookies.contains("forged"))
        let values = cookies.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("set-cookie: ") }.map {
            $0.dropFirst(12)
        }
        #expect(values == (0..<60).map { "c\($0)=1"[...] })
        let compressed = try lab.ask("GET /public/compressed HTTP/1.1", []).response
        #expect(compressed.lowercased().contains("content-encoding: gzip\r\n"))
        #expect(compressed.lowercased().contains("content-length: 10\r\n"))
        await lab.stop()
    }

    @Test func `T265 kept path parameters open no other rule, and reach the upstream`() async throws {
        let options = "path_parameters: keep\n    strip_prefix: true\n    "
        let lab = try await ThreatLab.start { file in
            file.replacing("issuers: [iss, other]", with: options + "issuers: [iss]\n    audiences: [api]")
                .replacing("rules: {ANY /**: read}", with: "rules: {ANY /admin/**: admin, ANY /**: read}")
        }
        let token = "Authorization: Bearer GOOD"
        for path in ["/admin/users", "/admin;x=1/users", "/admin%3bx/users", "/admin;", "/%61dmin;a=b;c/"] {
            let (response, request) = try lab.ask("GET /billing\(path) HTTP/1.1", [token])
            #expect(response.hasPrefix("HTTP/1.1 403 ") && response.contains("scope=\"admin\""), "\(path): \(response)")
            #expect(request == nil, "\(path)")
        }
        for path in ["/..;/admin", "/x/..;a/admin", "/;x/admin", "/.;/admin", "/a/;", "/a/%3B/b"] {
            let (response, request) = try lab.ask("GET /billing\(path) HTTP/1.1", [token])
            #expect(response.hasPrefix("HTTP/1.1 400 "), "\(path): \(response)")
            #expect(request == nil, "\(path)")
        }
        for (path, forwarded) in [("/7;x=1/y;z", "/7;x=1/y;z"), (";v=2/7", "/7"), (";v=2/users;admin", "/users;admin")]
        {
            let (response, request) = try lab.ask("GET /billing\(path) HTTP/1.1", [token])
            #expect(request?.path == forwarded, "\(path): \(response)")
        }
        #expect(try lab.ask("GET /orders;a=b HTTP/1.1", [token]).response.hasPrefix("HTTP/1.1 400 "))
        await lab.stop()
    }

    @Test func `T266 kept encoded slashes open no other rule, and reach the upstream`() async throws {
        let lab = try await ThreatLab.start { file in
            file.replacing(
                "issuers: [iss, other]",
                with: "encoded_slashes: keep\n    strip_prefix: true\n    issuers: [iss]\n    audiences: [api]"
            )
            .replacing(
                "rules: {ANY /**: read}",
                with: "rules: {ANY /admin/**: admin, ANY /**: read, \"GET /x/{id}\": {public: true}}")
        }
        let token = "Authorization: Bearer GOOD"
        for path in [
            "/admin%2Fusers", "%2fadmin", "/x/a%2Fb", "/a%2F..%2Fadmin", "/%2e%2F", "/a%252Fb", "/a%2F%5Cb",
            "/..%2Forders",
            // Empty segments, which some upstreams keep and others remove.
            "/%2Fadmin", "/%2F", "/x/%2F", "/x/%2Fb", "/a//b", "/a%2F%2F..%2Fadmin",
        ] {
            let (response, request) = try lab.ask("GET /billing\(path) HTTP/1.1", [token])
            #expect(response.hasPrefix("HTTP/1.1 400 "), "\(path): \(response)")
            #expect(request == nil, "\(path)")
        }
        for path in [
            "/group%2Fproject", "/a%2fb%2Fc/d%2Fe", "/a%2Fadmin", "/queues/%2F/jobs", "/queues/%2f",
            "/fetch/https:%2F%2Fx.example%2Fa",
        ] {
            let (response, request) = try lab.ask("GET /billing\(path) HTTP/1.1", [token])
            #expect(request?.path == path.replacing("%2f", with: "%2F"), "\(path): \(response)")
        }
        #expect(try lab.ask("GET /orders%2Fa HTTP/1.1", [token]).response.hasPrefix("HTTP/1.1 400 "))
        await lab.stop()
    }

    @Test func `T266 with opaque slashes, a path that leads elsewhere when decoded reaches no upstream`()
        async throws
    {
        let lab = try await ThreatLab.start { file in
            file.replacing(
                "issuers: [iss, other]", with: "encoded_slashes: opaque\n    issuers: [iss]\n    audiences: [api]"
            )
            .replacing("rules: {ANY /**: read}", with: "rules: {ANY /admin/**: admin, ANY /**: read}")
        }
        let token = "Authorization: Bearer GOOD"
        for path in [
            "/billing/a%2F..%2Fadmin", "/billing/..%2Forders", "/billing/%252e%252e/orders", "/billing/a%252F..%252Fb",
            "/billing/a%255Cb",
            "/billing/a%2500", "/billing/a%250d%250aX", "/billing/a%2F..%253bx", "/billing%2Fa", "/orders%2Fa",
            "/orders/a%2Fb",
            "/orders/a%252Fb", "/%2Fbilling/a", "/billing//a",
        ] {
            let (response, request) = try lab.ask("GET \(path) HTTP/1.1", [token])
            #expect(response.hasPrefix("HTTP/1.1 400 "), "\(path): \(response)")
            #expect(request == nil, "\(path)")
        }
        for path in [
            "/billing/group%2Fproject", "/billing/admin%2Fusers", "/billing/%2F/a", "/billing/a%252Fb",
            "/billing/a%2F%2Fb",
        ] {
            let (response, request) = try lab.ask("GET \(path) HTTP/1.1", [token])
            #expect(request?.path == path, "\(path): \(response)")
        }
        let (response, request) = try lab.ask("GET /billing/admin/a%2Fb HTTP/1.1", [token])
        #expect(response.hasPrefix("HTTP/1.1 403 ") && request == nil, "\(response)")
        await lab.stop()
    }

    @Test func `T316 the gateway's own answers repeat nothing of the request`() async throws {
        let lab = try await ThreatLab.start()
        for (line, fields) in [
            ("GET /REFLECTED HTTP/1.1", ["X-A: REFLECTED"]),
            ("GET /orders?REFLECTED HTTP/1.1", ["Authorization: Bearer REFLECTED"]),
            ("GET /orders HTTP/1.1", ["Authorization: Bearer REFLECTED.e30.AA"]),
            ("GET /orders HTTP/1.1", ["REFLECTED : x"]),
        ] {
            let response = try lab.ask(line, fields).response
            #expect(response.hasPrefix("HTTP/1.1 4"))
            #expect(!response.contains("REFLECTED"), "\(line)")
            #expect(response.lowercased().contains("content-type: application/problem+json\r\n"))
            #expect(response.lowercased().contains("cache-control: no-store\r\n"))
        }
        await lab.stop()
    }

    @Test func `T200 HEAD is judged as GET and has no body`() async throws {
        let lab = try await ThreatLab.start()
        let (response, request) = try lab.ask("HEAD /orders HTTP/1.1", ["Authorization: Bearer GOOD"])
        #expect(request?.method == .HEAD)
        #expect(response.hasPrefix("HTTP/1.1 200 "))
        #expect(response.hasSuffix("\r\n\r\n"))
        await lab.stop()
    }

    @Test func `T381 a token that differs from a cached token only in its signature is refused`() async throws {
        let lab = try await ThreatLab.start()
        let good = lab.tokens.goodText
        for _ in 0..<2 {
            #expect(
                try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(good)"]).response.hasPrefix(
                    "HTTP/1.1 200 "))
        }
        let other = good.dropLast(4) + "AAAA"
        #expect(
            try lab.ask("GET /orders HTTP/1.1", ["Authorization: Bearer \(other)"]).response.hasPrefix("HTTP/1.1 401 "))
        await lab.stop()
    }
}
