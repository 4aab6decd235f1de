import Testing

@testable import HTTPMessages

/// Tokens among the subprotocols of a WebSocket handshake.
struct TokenOfferTests {
    private func head(_ values: [String], name: String = "Sec-WebSocket-Protocol") throws -> RequestHead {
        let text = "GET / HTTP/1.1\r\nHost: a\r\n" + values.map { "\(name): \($0)\r\n" }.joined() + "\r\n"
        var parser = RequestHeadParser()
        let progress = try parser.parse(Array(text.utf8).span)
        try #require(progress == .complete)
        return parser.head
    }

    /// Description of the offer, with the text of the range.
    private func offer(_ values: [String], behind name: String = "bearer") throws -> String {
        let head = try head(values)
        switch head.section.tokenOffer(behind: try #require(TokenProtocol(name))) {
        case .none: return "none"
        case .incomplete: return "incomplete"
        case .several: return "several"
        case .token(let range): return "token " + head.string(range)
        case .encodedToken(let range): return "encoded " + head.string(range)
        }
    }

    private static let prefix = "base64url.bearer.authorization."

    static let offers: [([String], String)] = [
        ([], "none"), ([""], "none"), ([","], "none"), (["chat"], "none"), (["chat, superchat"], "none"),
        (["bearers, a"], "none"),
        (["beare, a"], "none"), (["x.bearer, a"], "none"),
        (["bearer, a.b.c"], "token a.b.c"), (["bearer,a.b.c"], "token a.b.c"), (["BeaRer \t,\t a.b.c "], "token a.b.c"),
        (["chat, bearer, a.b.c, superchat"], "token a.b.c"), ([",bearer,, ,a.b.c,"], "token a.b.c"),
        (["a.b.c, bearer, d"], "token d"),
        (["bearer"], "incomplete"), (["chat, bearer"], "incomplete"), (["a.b.c, bearer"], "incomplete"),
        (["bearer,,"], "incomplete"),
        (["bearer, a, bearer, b"], "several"), (["bearer, a, BEARER, a"], "several"),
        (["bearer, bearer, a"], "several"),
        (["bearer, bearer"], "several"), (["bearer", "a"], "several"), (["bearer, a", "chat"], "several"),
        (["bearer, a", ""], "several"),
        (["bearer, a", "bearer, a"], "several"),
        (["\(prefix)YQ"], "encoded YQ"), (["\(prefix)k8s.io.YQ, v4.channel.k8s.io"], "encoded YQ"),
        (["\(prefix)"], "encoded "),
        (["bearer, \(prefix)YQ"], "encoded YQ"), (["Base64URL.Bearer.Authorization.YQ"], "encoded YQ"),
        (["base64url.bearer.authorization"], "none"), (["\(prefix)YQ, \(prefix)YQ"], "several"),
        (["bearer, a, \(prefix)YQ"], "several"),
        (["\(prefix)YQ, bearer"], "several"), (["bearer, \(prefix)YQ, a"], "encoded YQ"),
        (["\(prefix)YQ, bearer, a"], "several"),
        (["bearer, \(prefix)YQ", "chat"], "several"),
        (["bearer, \(token), \(token)"], "several"), (["bearer, a, \(token)"], "several"),
        (["bearer, a, chat, \(token)"], "several"),
        (["\(token), bearer, a"], "several"), (["\(token), bearer"], "several"),
        (["chat, \(token), v2, bearer"], "several"),
        (["\(prefix)YQ, \(token)"], "several"), (["\(token), \(prefix)YQ"], "several"),
        (["bearer, \(prefix)YQ, \(token)"], "several"),
        (["chat, bearer, \(token), v2"], "token \(token)"), (["\(token)"], "none"), (["chat, \(token)"], "none"),
        (["jwt, \(token)"], "none"),
    ]

    private static let token = "eyJhbGciOiJSUzI1NiJ9.e30.AA"

    @Test(arguments: [
        (token, true), ("eyJ.b.c", true), ("eyJhbGciOiJub25lIn0.e30.", true), ("eyJ..", true), ("eyJ.b.c-_9", true),
        ("eyAiYWxnIjoiUlMyNTYifQ.b.c", true), ("ewkiYWxnIjoiUlMyNTYifQ.b.c", true),
        ("ew0KImFsZyI6IlJTMjU2In0.b.c", true),
        ("ewoiYWxnIjoiUlMyNTYifQ.b.c", true), ("eyJ.a.b.c.d", true),
        ("eyJ.b", false), ("eyJ.a.b.c", false), ("eyJ.a.b.c.d.e", false), ("eyJ", false), ("eyJabc", false),
        ("EYJ.b.c", false),
        ("eyj.b.c", false), ("eyes.v1.x", false), ("ewe.v1.x", false), ("fyJ.b.c", false), ("eyJ.b.c+", false),
        ("eyJ~.b.c", false),
        ("v1.b.c", false),
    ])
    func `a subprotocol entry apart from the named one is a token if it has the form of a token`(
        entry: String, isToken: Bool
    ) throws {
        #expect(try offer(["bearer, a, \(entry)"]) == (isToken ? "several" : "token a"))
        #expect(try offer(["\(entry), bearer, a"]) == (isToken ? "several" : "token a"))
        let kept = ProtocolOffer(try head(["\(entry), bearer, a"]).section, behind: [.bearer]).kept
        #expect(String(decoding: kept, as: UTF8.self) == (isToken ? "" : entry))
    }

    @Test(arguments: offers)
    func `a token is the entry after the protocol name or a suffix of one, once and in one field`(
        values: [String], expected: String
    ) throws {
        #expect(try offer(values) == expected)
    }

    @Test func `another protocol name finds another token`() throws {
        #expect(try offer(["jwt, a"], behind: "JWT") == "token a")
        #expect(try offer(["bearer, a"], behind: "jwt") == "none")
        #expect(try offer(["jwt, bearer, a"], behind: "jwt") == "token bearer")
    }

    @Test(arguments: ["Sec_WebSocket_Protocol", "Sec-WebSocket-Protocols"])
    func `a field with a similar name contains no token`(name: String) throws {
        let head = try head(["bearer, a"], name: name)
        #expect(head.section.tokenOffer(behind: .bearer) == .none)
        #expect(ProtocolOffer(head.section, behind: [.bearer]) == ProtocolOffer(try self.head([]).section, behind: []))
    }

    // MARK: What is forwarded

    static let kept: [([String], [String], String, String?)] = [
        ([], ["bearer"], "", nil), (["chat"], [], "chat", nil), (["bearer, a"], [], "bearer, a", nil),
        (["bearer, a"], ["bearer"], "", "bearer"),
        (["chat,Bearer,a ,superchat"], ["bearer"], "chat, superchat", "Bearer"),
        (["chat, bearer", "a, superchat"], ["bearer"], "chat, superchat", "bearer"),
        (["bearer", ",", " a"], ["bearer"], "", "bearer"),
        (["bearer, bearer, a, b"], ["bearer"], "b", "bearer"), (["bearer, a, bearer, b, c"], ["bearer"], "c", "bearer"),
        (["bearer"], ["bearer"], "", "bearer"), (["\(prefix)YQ, v4"], ["bearer"], "v4", nil),
        (["bearer, \(prefix)YQ, v4"], ["jwt"], "bearer, v4", nil),
        (["bearer, \(token), \(token)"], ["bearer"], "", "bearer"),
        (["bearer, a, chat, \(token), v2"], ["bearer"], "chat, v2", "bearer"),
        (["chat, \(token), bearer"], ["bearer"], "chat", "bearer"),
        (["\(token)", "bearer", "a"], ["bearer"], "", "bearer"),
        (["\(prefix)YQ, v4, \(token)"], ["bearer"], "v4", nil), (["chat, \(token)"], ["bearer"], "chat, \(token)", nil),
        (["jwt, a, \(token)"], ["bearer"], "jwt, a, \(token)", nil),
        (["jwt, a, \(token)"], ["bearer", "jwt"], "", "jwt"),
        (["jwt, a, bearer, b, c"], ["bearer", "jwt"], "c", "jwt"),
        (["jwt, bearer, b, c"], ["bearer", "jwt"], "c", "jwt"),
    ]

    @Test(arguments: kept) func `protocol names and tokens are removed, and the other entries keep their order`(
        values: [String], names: [String], kept: String, name: String?
    ) throws {
        let names = try names.map { try #require(TokenProtocol($0)) }
        let offer = ProtocolOffer(try head(values).section, behind: names)
        #expect(String(decoding: offer.kept, as: UTF8.self) == kept)
        #expect(offer.name.map { String(decoding: $0, as: UTF8.self) } == name)
    }

    // MARK: What is answered

    private func answer(_ choices: [String], to values: [String]) throws -> ProtocolOffer.Answer {
        let text =
            "HTTP/1.1 101 Switching Protocols\r\n" + choices.map { "Sec-WebSocket-Protocol: \($0)\r\n" }.joined()
            + "\r\n"
        var parser = ResponseHeadParser()
        let progress = try parser.parse(Array(text.utf8).span, requestMethodIsHEAD: false)
        try #require(progress == .complete)
        return ProtocolOffer(try head(values).section, behind: [.bearer]).answer(to: parser.head)
    }

    @Test(arguments: [
        (["chat"], "chat"), (["bearer"], "unoffered"), (["Bearer"], "Bearer"), ([], "Bearer"), ([""], "Bearer"),
        (["Chat"], "unoffered"),
        (["a.b.c"], "unoffered"), (["other"], "unoffered"), (["chat, superchat"], "unoffered"),
        (["chat", "chat"], "unoffered"),
        (["superchat"], "superchat"), (["cha"], "unoffered"), ([","], "unoffered"),
    ])
    func `the response names an offered subprotocol in the client's spelling, and never a token`(
        choices: [String], expected: String
    ) throws {
        let answer = try answer(choices, to: ["chat, Bearer, a.b.c, superchat"])
        #expect(answer == (expected == "unoffered" ? .unoffered : .named(Array(expected.utf8))))
    }

    @Test func `without an offered name, no subprotocol is answered unless the upstream chose one`() throws {
        #expect(try answer([], to: []) == .none)
        #expect(try answer([], to: ["chat"]) == .none)
        #expect(try answer([], to: ["\(Self.prefix)YQ, chat"]) == .none)
        #expect(try answer(["\(Self.prefix)YQ"], to: ["\(Self.prefix)YQ, chat"]) == .unoffered)
        #expect(try answer(["chat"], to: []) == .unoffered)
    }

    // MARK: Names

    @Test(arguments: [
        ("bearer", true), ("v1.token", true), (String(repeating: "a", count: 64), true),
        (String(repeating: "a", count: 65), false),
        ("", false),
        ("a b", false), ("a,b", false), ("ä", false), ("a/b", false), ("base64url.bearer.authorization.k8s.io", false),
        ("BASE64URL.bearer.authorization.", false), ("base64url.bearer.authorization", true),
    ])
    func `a protocol name is a token character string that does not itself carry a token`(name: String, isOne: Bool) {
        #expect((TokenProtocol(name) != nil) == isOne)
    }

    @Test func `protocol names are compared case-insensitively`() {
        #expect(TokenProtocol("Bearer") == .bearer)
        #expect(Set([TokenProtocol("Bearer"), .bearer]).count == 1)
        #expect(TokenProtocol("bearers") != .bearer)
    }

    // MARK: Decoded tokens

    @Test func `a decoded token is stored once after the head, and reset with it`() throws {
        var parser = RequestHeadParser()
        let text = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        var head = RequestHead()
        for _ in 0..<2 {
            let progress = try parser.parse(text.span)
            try #require(progress == .complete)
            parser.exchange(for: &head)
            #expect(head.decodedToken == nil)
            head.keepDecodedToken(Array("first".utf8))
            head.keepDecodedToken(Array("second".utf8))
            #expect(head.decodedToken.map(head.string) == "first")
            #expect(head.byteCount == text.count)
        }
    }

    // MARK: The request's own origin

    @Test(arguments: [
        ("a.example", "https://a.example", true), ("a.example", "http://a.example", true),
        ("A.example", "HTTPS://a.EXAMPLE", true),
        ("a.example:443", "https://a.example", true), ("a.example", "https://a.example:443", true),
        ("a.example:80", "http://a.example", true),
        ("a.example:8443", "https://a.example:8443", true), ("a.example:8443", "https://a.example", false),
        ("a.example:80", "https://a.example", false), ("a.example", "https://b.example", false),
        ("a.example", "https://a.example.evil", false),
        ("a.example", "https://evil-a.example", false), ("a.example", "https://a.example/", false),
        ("a.example", "https://x@a.example", false),
        ("a.example", "null", false), ("a.example", "a.example", false), ("a.example", "https://", false),
        ("a.example", "", false),
        ("a.example", "ftp://a.example", false), ("a.example", "https:a.example", false),
        ("[::1]:8080", "http://[::1]:8080", true),
    ])
    func `an origin is the request's own if host and port are the same`(host: String, origin: String, isOwn: Bool)
        throws
    {
        var parser = RequestHeadParser()
        let progress = try parser.parse(Array("GET / HTTP/1.1\r\nHost: \(host)\r\nOrigin: \(origin)\r\n\r\n".utf8).span)
        try #require(progress == .complete)
        #expect(parser.head.isOwnOrigin(try #require(parser.head.only(.origin)).value) == isOwn)
    }
}
