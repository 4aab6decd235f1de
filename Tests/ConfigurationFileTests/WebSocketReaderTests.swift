import AccessControl
import ConfigurationFile
import HTTPMessages
import ProxySettings
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// `websocket`: location of tokens, allowed origins, and limits of heads.
struct WebSocketReaderTests {
    private struct Refused: Error {}

    private func configuration(_ line: String) throws -> Configuration {
        let text = try ProblemCase.base().replacing(
            "issuers: [partner]", with: "issuers: [partner]\n    \(line)", maxReplacements: 1)
        let result = Configuration.load(
            text: text, directory: ProblemCase.directory, environment: ProblemCase.environment)
        guard case .success(let configuration, _) = result else { throw Refused() }
        return configuration
    }

    private static let app = "https://app.example.com"
    private static let own = WebSocketPolicy.Origins.own

    private static func listed(_ origins: String...) throws -> WebSocketPolicy.Origins {
        .listed(.listed(try origins.map { try OriginPattern($0) }))
    }

    @Test func `WebSocket origins are its own, otherwise those of cors, otherwise the request's own`() throws {
        let cases: [(String, WebSocketPolicy?)] = [
            ("mode: enforce", nil), ("websocket: false", nil), ("websocket: true", WebSocketPolicy()),
            ("websocket: true\n    cors: {origins: \(Self.app)}", WebSocketPolicy()),
            ("websocket: {}", WebSocketPolicy(origins: Self.own)),
            ("websocket: {token: subprotocol}", WebSocketPolicy(tokenProtocol: .bearer, origins: Self.own)),
            (
                "websocket: {token: subprotocol, name: v1.JWT}",
                WebSocketPolicy(tokenProtocol: TokenProtocol("V1.jwt"), origins: Self.own)
            ),
            ("websocket: {}\n    cors: {origins: \(Self.app)}", WebSocketPolicy(origins: try Self.listed(Self.app))),
            (
                "websocket: {origins: https://b.example}\n    cors: {origins: \(Self.app)}",
                WebSocketPolicy(origins: try Self.listed("https://b.example"))
            ),
            ("websocket: {}\n    cors: {origins: \"*\"}", WebSocketPolicy(origins: .listed(.any))),
        ]
        for (line, policy) in cases {
            #expect(try configuration(line).protectedResources.first?.webSockets == policy, "\(line)")
        }
    }

    @Test(arguments: [
        ("websocket: true", []), ("websocket: {}", []), ("websocket: {token: subprotocol}", ["Sec-WebSocket-Protocol"]),
        (
            "websocket: {token: subprotocol}\n    token_header: {name: X-Assertion}",
            ["Sec-WebSocket-Protocol", "X-Assertion"]
        ),
    ])
    func `Sec-WebSocket-Protocol has the limits of token headers only if a token is taken from it`(
        line: String, fields: [String]
    ) throws {
        let names = try configuration(line).limits.head.tokenFields.map { String(decoding: $0.spelling, as: UTF8.self) }
        #expect(names.sorted() == fields)
    }
}
