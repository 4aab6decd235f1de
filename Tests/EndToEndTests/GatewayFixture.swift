import AsyncHTTPClient
import DevelopmentIssuer
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// An issuer, a shop, and the real `bearward serve` between a client and them.
struct GatewayFixture {
    let issuer: AuthorizationServer
    let shop: SampleShop
    let gateway: BearwardProcess
    let port: Int
    let adminPort: Int
    private let temporary: TemporaryFolder

    static let audience = "https://shopping.your-app.com/api"

    var directory: URL { temporary.url }
    var file: URL { directory.appendingPathComponent("bearward.yaml") }
    var base: String { "http://127.0.0.1:\(port)" }

    /// Starts issuer, shop and gateway.
    ///
    /// - Parameter topLines: further keys at the top of the file.
    static func start(topLines: String = "") async throws -> GatewayFixture {
        let issuer = try await AuthorizationServer.start(on: .anyLoopback, algorithm: .rs256)
        let shop = try await SampleShop.start()
        let temporary = try TemporaryFolder()
        let timeouts = topLines.contains("timeouts:") ? "" : Self.shortDrain
        let text = topLines + timeouts + Self.text(issuer: issuer.issuer, upstream: shop.url)
        let file = try temporary.write(text, to: "bearward.yaml")
        let gateway = try BearwardProcess(["serve", "--config", file.path])
        guard await BearwardProcess.wait(until: { gateway.count(of: "Ready") > 0 || !gateway.process.isRunning }),
            let port = gateway.port(of: "Listening"), let adminPort = gateway.port(of: "Admin listener ready")
        else { throw FixtureFailure.notReady(gateway.standardError) }
        return GatewayFixture(
            issuer: issuer, shop: shop, gateway: gateway, port: port, adminPort: adminPort, temporary: temporary)
    }

    static func text(issuer: String, upstream: String, rules: String = Self.rules) -> String {
        let text = """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            event_loops: 2
            issuers:
              dev: {issuer: "\(issuer)", algorithms: [RS256], token_type: at+jwt}
            resources:
              \(audience):
                at: [/api]
                issuers: [dev]
                upstream: \(upstream)
                strip_prefix: true
                rules:
            \(rules)
                forward:
                  identity: {subject: X-Auth-Subject, scopes: X-Auth-Scope, client: X-Auth-Client}

            """
        return TestedTokenCache.configure(text)
    }

    /// A short drain, so that connections left by a test do not delay its end.
    static let shortDrain = "timeouts: {drain: 1s}\n"

    static let rules = """
              GET /orders/**: shopping:read
              POST /orders: shopping:write
              GET,HEAD /status: {public: true}
              GET /me: authenticated
        """

    func token(
        scopes: [String] = ["shopping:read"], audience: String = Self.audience, lifetime: Duration = .seconds(600)
    ) throws -> String {
        try issuer.mint(
            TokenRequest(client: "app-1", subject: "user-1", audiences: [audience], scopes: scopes, lifetime: lifetime))
    }

    func get(_ path: String, token: String? = nil, method: HTTPMethod = .GET, port: Int? = nil) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port ?? self.port)\(path)")
        request.method = method
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let body = try await response.body.collect(upTo: 1 << 20)
        return Answer(status: Int(response.status.code), fields: response.headers, body: String(buffer: body))
    }

    struct Answer {
        let status: Int
        let fields: HTTPHeaders
        let body: String
    }

    /// Stops the gateway, and expects that no unexpected state machine event was counted, if its metrics still answer.
    func stop() async {
        if let figures = try? await get("/metrics", port: adminPort).body {
            #expect(figures.contains("\nbearward_unexpected_events_total 0\n"))
        }
        gateway.signal(SIGTERM)
        _ = await gateway.exitStatus()
        await issuer.stop()
        await shop.stop()
    }
}

enum FixtureFailure: Error {
    case notReady(String)
}

extension BearwardProcess {
    /// The lines of the operational log with this message.
    func lines(of message: String) -> [Substring] {
        standardError.split(separator: "\n").filter { $0.contains(#""message":"\#(message)""#) }
    }

    /// Number of lines of the operational log with this message.
    func count(of message: String) -> Int { lines(of: message).count }

    /// True once the gateway has stopped waiting for its first keys, with or without them.
    var hasStarted: Bool { count(of: "Ready") + count(of: "Not ready: /readyz answers 503") > 0 }

    /// The port of the first IPv4 address in the newest line with this message.
    func port(of message: String) -> Int? {
        lines(of: message).last?.firstMatch(of: /"(?:127\.0\.0\.1|0\.0\.0\.0):(\d+)"/).flatMap { Int($0.output.1) }
    }
}
