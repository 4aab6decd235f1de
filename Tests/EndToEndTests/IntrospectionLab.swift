import AsyncHTTPClient
import Foundation
import JOSESigning
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport

/// The real gateway in front of an introspection endpoint. The first letters of a token determine the answer.
final class IntrospectionLab: Sendable {
    let served: ServedFile
    let tokens = ThreatTokens()
    private let upstream: LoopbackServer
    private let issuer: LoopbackServer
    private let asked: Asked
    private let folder: TemporaryFolder

    /// Client addresses that a trusted proxy states to the gateway.
    enum Client: String {
        case good = "192.0.2.1"
        case bad = "198.51.100.9"
    }

    /// Tokens that the endpoint was asked about, and the questions it holds back.
    private final class Asked: Sendable {
        let tokens = Mutex<[String]>([])
        let mayEnd = StopSign()
    }

    /// Starts the gateway and the endpoint.
    ///
    /// - Parameters:
    ///   - limits: keys of `limits` in the file.
    ///   - trustsProxy: whether `X-Forwarded-For` of the tests is trusted.
    static func start(limits: String = "", trustsProxy: Bool = true) async throws -> IntrospectionLab {
        let asked = Asked()
        let issuer = try await LoopbackServer.start { request in
            try await Self.answer(String(buffer: request.body), asked)
        }
        let upstream = try await LoopbackServer.upstream()
        let folder = try TemporaryFolder()
        let secret = try folder.write("s3cret\n", to: "secret")
        let keys = try folder.write(SigningKey.jwkSetJSON([TestKeys.rsa]), to: "keys.json")
        let introspect =
            "client_id: gateway, client_secret_file: \"\(secret.path)\", endpoint: \"\(issuer.url)/introspect\", clients: [app]"
        let text = """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            event_loops: 1
            \(trustsProxy ? "trusted_proxies: [127.0.0.1/32]" : "")
            limits: {\(limits)}
            issuers:
              iss:
                issuer: "https://iss.example"
                jwks_file: "\(keys.path)"
                token_type: at+jwt
                opaque: {introspect: {\(introspect)}}
            resources:
              api: {at: [/api], issuers: [iss], upstream: "\(upstream.url)", rules: {ANY /**: read}}

            """
        let served = try await ServedFile.start(text)
        return IntrospectionLab(served, upstream, issuer, asked, folder)
    }

    private init(
        _ served: ServedFile, _ upstream: LoopbackServer, _ issuer: LoopbackServer, _ asked: Asked,
        _ folder: TemporaryFolder
    ) {
        self.served = served
        self.upstream = upstream
        self.issuer = issuer
        self.asked = asked
        self.folder = folder
    }

    private static func answer(_ form: String, _ asked: Asked) async throws -> LoopbackReply {
        let token = form.split(separator: "&").first?.dropFirst("token=".count).description ?? ""
        asked.tokens.withLock { $0.append(token) }
        let access = #"{"active":true,"client_id":"app","sub":"opaque-user","scope":"read","token_type":"Bearer"}"#
        if token.hasPrefix("good") || token.hasPrefix("ory_at_good") {
            return LoopbackReply(body: ByteBuffer(string: access))
        }
        if token.hasPrefix("refresh") {
            return LoopbackReply(
                body: ByteBuffer(string: #"{"active":true,"client_id":"app","scope":"read","exp":4102444800}"#))
        }
        // A refusal as a firewall sends it.
        if token.hasPrefix("refused") || token.utf8.count > 8192 { return LoopbackReply(status: .forbidden) }
        if token.hasPrefix("slow") {
            while !asked.mayEnd.isRaised { try await Task.sleep(for: .milliseconds(20)) }
        }
        return LoopbackReply(body: ByteBuffer(string: #"{"active":false}"#))
    }

    /// The tokens that the issuer was asked about, in order.
    var questions: [String] { asked.tokens.withLock { $0 } }

    /// The status of a request with a token, from a client as the proxy in front of the gateway states it.
    func status(_ token: String, of client: Client = .good) async throws -> Int {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.port)/api/x")
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        request.headers.add(name: "X-Forwarded-For", value: client.rawValue)
        let response = try await Self.client.execute(request, timeout: .seconds(20))
        _ = try await response.body.collect(upTo: 1 << 20)
        return Int(response.status.code)
    }

    private static let client: HTTPClient = {
        var settings = HTTPClient.Configuration()
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 128
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
    }()

    /// The members of `issuers[0].introspection` at `/readyz`.
    func introspection() async throws -> [String: Any] {
        let body = try await served.administration("/readyz").body
        let readiness = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
        let issuers = readiness?["issuers"] as? [[String: Any]]
        return issuers?.first?["introspection"] as? [String: Any] ?? [:]
    }

    /// Releases the answers that the issuer holds back, and makes later slow ones immediate.
    func letSlowQuestionsEnd() {
        asked.mayEnd.raise()
    }

    func stop() async {
        asked.mayEnd.raise()
        await served.stop()
        await upstream.stop()
        await issuer.stop()
    }
}
