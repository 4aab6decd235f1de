import Foundation
import JOSE
import ProxySettings
import Synchronization
import TestSupport
import Testing
import TokenVerification

@testable import ReverseProxy

/// Token data in the access log, and its redaction.
@Suite struct RedactionTests {
    private static let expiry = Int(Date.now.timeIntervalSince1970) + 600

    private static func token(_ change: (TestToken) -> TestToken = { $0 }) -> String {
        let token = TestToken.good.with("iss", #""https://idp.example""#).with("exp", "\(expiry)").with(
            "iat", "\(expiry - 900)")
        return change(token).signed(by: TestKeys.rsa)
    }

    private static func settings(_ redact: (inout LogRedaction) -> Void, logged: [LoggedMember] = []) -> GatewaySettings
    {
        var settings = GatewaySettings()
        settings.logged = logged
        settings.keys = TestKeys.set
        redact(&settings.redaction)
        return settings
    }

    /// The log lines of consecutive requests with these tokens.
    private func lines(_ settings: GatewaySettings, _ tokens: [(token: String, isGood: Bool)]) async throws -> [String]
    {
        let lines = Mutex<[String]>([])
        try await withGateway(settings) { gateway in
            for (index, (token, isGood)) in tokens.enumerated() {
                let client = try await gateway.connect()
                client.send(
                    "GET /private/7 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\nConnection: close\r\n\r\n")
                if isGood {
                    let server = try await gateway.upstream.connection(index)
                    _ = try await server.receive(through: "\r\n\r\n")
                    server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                }
                let answer = try await client.receiveToEnd()
                // The client does not see the detail that the log has.
                #expect(!answer.contains("accepted:"))
            }
            let all = try await gateway.logLines(tokens.count)
            lines.withLock { $0 = all }
        }
        return lines.withLock { $0 }
    }

    private static let refused = (token { $0.with("aud", #""x""#) }, false)

    @Test func `a log line has the value seen, the values accepted, and the token's subject`() async throws {
        let line = try #require(try await lines(Self.settings { _ in }, [Self.refused]).first)
        #expect(
            line.contains(
                #""reason":"audience_mismatch","detail":"aud is \"x\"; accepted: api","issuer":"idp","subject":"user-1""#
            ),
            "\(line)")
    }

    @Test func `a log line has the members of the reference, in its order`() async throws {
        var met: Set<String> = []
        for line in try await lines(
            Self.settings({ _ in }, logged: Self.chosen),
            [(Self.token(), true), Self.refused, (Self.token { $0.with("iss", #""https://idp.example/""#) }, false)])
        {
            let names = line.matches(of: /[{,]"([a-z_]+)":/).map { String($0.output.1) }.filter { $0 != "groups" }
            #expect(names == AccessLogMember.allCases.map(\.rawValue).filter(names.contains), "\(line)")
            met.formUnion(names)
        }
        // Other tests cover traces, a client certificate, a failing upstream, an observed rule, and the subject's claim.
        #expect(
            met.union(["trace_id", "client_certificate", "upstream_error", "would", "door", "subject_claim"])
                == Set(AccessLogMember.allCases.map(\.rawValue)))
    }

    @Test func `the claim that has the subject is logged alike for fresh, cached and refused tokens`() async throws {
        var settings = Self.settings { _ in }
        let tokens = [(Self.token { $0.with("user_id", #""u-7""#) }, true), (Self.token(), true)]
        let usual = try await lines(settings, tokens)
        #expect(usual.allSatisfy { $0.contains(#""subject":"user-1","client_id""#) }, "\(usual)")
        settings.subjectClaims = [ClaimPath(member: "user_id"), ClaimPath(member: "sub")]
        let lines = try await lines(settings, tokens + tokens + [Self.refused])
        let told = [#""subject":"u-7","subject_claim":"user_id","#, #""subject":"user-1","subject_claim":"sub","#]
        for (line, text) in zip(lines, told + told + [told[1]]) { #expect(line.contains(text), "\(line)") }
        #expect(!TestedTokenCache.isOn || lines[2].contains(#""cache":"hit""#))
    }

    @Test func `dropped members appear nowhere in the line`() async throws {
        let settings = Self.settings {
            ($0.subject, $0.clientID, $0.tokenID, $0.detail, $0.path) = (
                .dropped, .dropped, .dropped, .dropped, .dropped
            )
        }
        for line in try await lines(settings, [(Self.token(), true), (Self.token(), true), Self.refused]) {
            #expect(line.contains(#""path":null"#))
            #expect(line.contains(#""subject":null,"client_id":null,"kid":"k1","token_id":null"#), "\(line)")
            for text in ["user-1", "app-1", "t-1", "detail", "/7"] { #expect(!line.contains(text), "\(line)") }
        }
    }

    /// A cached token, a newly verified token and a refused token have the same pseudonym.
    @Test func `a hashed value has the same pseudonym for fresh, cached and refused tokens`() async throws {
        let secret = Array("0123456789abcdef".utf8)
        let settings = Self.settings {
            ($0.subject, $0.clientID, $0.tokenID, $0.detail, $0.path) = (.hashed, .hashed, .hashed, .hashed, .rule)
            $0.key = secret
        }
        let pseudonyms = try #require(Pseudonyms(secret: secret))
        func hash(_ text: String) throws -> String {
            let bytes = Array(text.utf8)
            let pseudonym = pseudonyms.pseudonym(of: bytes.span)
            return String(decoding: try #require(pseudonym), as: UTF8.self)
        }
        let lines = try await lines(settings, [(Self.token(), true), (Self.token(), true), Self.refused])
        for line in lines {
            #expect(line.contains(#""path":"/**""#))
            let known =
                #""subject":"\#(try hash("user-1"))","client_id":"\#(try hash("app-1"))","kid":"k1","token_id":"\#(try hash("t-1"))""#
            #expect(line.contains(known), "\(line)")
            for text in ["user-1", "app-1", "t-1", "accepted", "/7"] { #expect(!line.contains(text), "\(line)") }
        }
        #expect(lines.last?.contains(#""detail":"\#(try hash(#"aud is "x"; accepted: api"#))""#) == true)
    }

    @Test func `a value too long for the token cache has one pseudonym too`() async throws {
        let settings = Self.settings { $0.tokenID = .hashed }
        let long = String(repeating: "é", count: 500)
        let token = Self.token { $0.with("jti", "\"\(long)\"") }
        let ids = try await lines(settings, [(token, true), (token, true)]).map {
            $0.firstMatch(of: /"token_id":"([0-9a-f]{64})"/)?.1
        }
        #expect(ids.count == 2 && ids.first != .some(nil) && ids.first == ids.last)
    }

    // MARK: Chosen values

    private static let chosen: [LoggedMember] =
        [.scopes, .actor, .tenant, .organization]
        + ["/department", "groups", "level", "/act/sub", "long", "none"].compactMap { try? .claim(ClaimPath($0)) }

    private static func rich(_ token: TestToken) -> TestToken {
        token.with("scope", #""read orders:write""#).with("act", #"{"sub": "agent-7"}"#).with("tid", #""t-9""#)
            .with("organization_id", #""acme""#).with("department", #""Sales \"\u202e\u0001""#)
            .with("groups", #"["a", {"b": 1.5}]"#).with("level", "-0.25").with(
                "long", "\"a\(String(repeating: "é", count: 99))\""
            )
            .with("none", "null")
    }

    @Test func `chosen values are logged alike for fresh, cached and refused tokens, and not unless chosen`()
        async throws
    {
        let tokens = [
            (Self.token(Self.rich), true), (Self.token(Self.rich), true),
            (Self.token { Self.rich($0).with("aud", #""x""#) }, false),
        ]
        // 128 bytes would end within a character.
        let long = "a" + String(repeating: "é", count: 63)
        let values =
            #""token_id":"t-1","scopes":"read orders:write","actor":"agent-7","tenant":"t-9","organization":"acme","claims":"#
            + #"{"/department":"Sales \"\u202e\u0001","groups":"[\"a\",{\"b\":1.5}]","level":-0.25,"/act/sub":"agent-7","long":"\#(long)"},"cache":"#
        let lines = try await lines(Self.settings({ _ in }, logged: Self.chosen), tokens)
        for line in lines { #expect(line.contains(values), "\(line)") }
        #expect(!TestedTokenCache.isOn || lines[1].contains(#""cache":"hit""#))
        for line in try await self.lines(Self.settings { _ in }, tokens) {
            #expect(line.contains(#""token_id":"t-1","cache":"#), "\(line)")
        }
    }

    @Test func `chosen values are null until the signature is verified`() async throws {
        let forged = Self.token(Self.rich).dropLast(4) + "AAAA"
        let foreign = Self.token { Self.rich($0).with("iss", #""https://evil.example""#) }
        let none = #""scopes":null,"actor":null,"tenant":null,"organization":null,"claims":null,"cache":"#
        for line in try await lines(
            Self.settings({ _ in }, logged: Self.chosen), [(String(forged), false), (foreign, false)])
        {
            #expect(line.contains(none), "\(line)")
            for text in ["agent-7", "acme", "Sales", "write"] { #expect(!line.contains(text), "\(line)") }
        }
    }

    @Test func `a token without the chosen values has nulls and an empty object`() async throws {
        let token = (Self.token { $0.with("scope", nil).with("act", #""agent""#) }, true)
        for line in try await lines(Self.settings({ _ in }, logged: Self.chosen), [token, token]) {
            #expect(
                line.contains(#""scopes":null,"actor":null,"tenant":null,"organization":null,"claims":{},"cache":"#),
                "\(line)")
        }
    }

    @Test func `chosen values are hashed or dropped as the file says`() async throws {
        let secret = Array("0123456789abcdef".utf8)
        let pseudonyms = try #require(Pseudonyms(secret: secret))
        func hash(_ text: String) throws -> String {
            let bytes = Array(text.utf8)
            let pseudonym = pseudonyms.pseudonym(of: bytes.span)
            return String(decoding: try #require(pseudonym), as: UTF8.self)
        }
        let tokens = [
            (Self.token(Self.rich), true), (Self.token(Self.rich), true),
            (Self.token { Self.rich($0).with("aud", #""x""#) }, false),
        ]
        let hashing = Self.settings(
            {
                ($0.scopes, $0.actor, $0.tenant, $0.organization, $0.claims) = (
                    .hashed, .hashed, .hashed, .dropped, .hashed
                )
                $0.key = secret
            }, logged: Self.chosen)
        let values =
            #""scopes":"\#(try hash("read orders:write"))","actor":"\#(try hash("agent-7"))","tenant":"\#(try hash("t-9"))","#
            + #""organization":null,"claims":{"/department":"\#(try hash("Sales \"\u{202e}\u{1}"))","groups":"#
        let number = #""level":"\#(try hash("-0.25"))","#
        for line in try await lines(hashing, tokens) {
            #expect(line.contains(values) && line.contains(number), "\(line)")
        }
        let dropping = Self.settings(
            {
                ($0.scopes, $0.actor, $0.tenant, $0.organization, $0.claims) = (
                    .dropped, .dropped, .dropped, .dropped, .dropped
                )
            }, logged: Self.chosen)
        for line in try await lines(dropping, tokens) {
            #expect(line.contains(#""organization":null,"claims":null,"cache":"#), "\(line)")
            for text in ["agent-7", "acme", "Sales", "write", "t-9"] { #expect(!line.contains(text), "\(line)") }
        }
    }
}
