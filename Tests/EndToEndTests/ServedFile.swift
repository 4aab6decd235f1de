import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport

/// The real `bearward serve` with a configuration file from the test.
final class ServedFile: Sendable {
    let gateway: BearwardProcess
    let port: Int
    let adminPort: Int
    private let temporary: TemporaryFolder

    var directory: URL { temporary.url }
    private var file: URL { directory.appendingPathComponent("bearward.yaml") }

    private init(gateway: BearwardProcess, port: Int, adminPort: Int, temporary: TemporaryFolder) {
        self.gateway = gateway
        self.port = port
        self.adminPort = adminPort
        self.temporary = temporary
    }

    /// Starts the gateway and waits until it is ready.
    ///
    /// - Parameters:
    ///   - text: the file, whose `listen` and `admin` are `127.0.0.1:0`.
    ///   - environment: variables added to those of this process.
    ///   - launcher: a program and its arguments that start the command after them.
    static func start(_ text: String, environment: [String: String] = [:], launcher: [String] = []) async throws
        -> ServedFile
    {
        let temporary = try TemporaryFolder()
        let file = try temporary.write(Self.configured(text), to: "bearward.yaml")
        let command =
            launcher + [
                BearwardProcess.directory.appendingPathComponent("bearward").path, "serve", "--config", file.path,
            ]
        let gateway = try BearwardProcess(
            program: URL(fileURLWithPath: command[0]), Array(command.dropFirst()), environment: environment)
        guard
            await BearwardProcess.wait(until: {
                gateway.count(of: "Admin listener ready") > 0 || !gateway.process.isRunning
            }
            ),
            let port = gateway.port(of: "Listening"), let adminPort = gateway.port(of: "Admin listener ready")
        else { throw FixtureFailure.notReady(gateway.standardError) }
        return ServedFile(gateway: gateway, port: port, adminPort: adminPort, temporary: temporary)
    }

    /// The file with a short drain, so that connections left by a test do not delay its end.
    private static func configured(_ text: String) -> String {
        let lineEnd = text.hasSuffix("\n") ? "" : "\n"
        return TestedTokenCache.configure(
            text.contains("timeouts:") ? text : text + lineEnd + GatewayFixture.shortDrain)
    }

    /// Replaces the text of the file without a signal to the gateway.
    func put(_ text: String) throws {
        try Self.configured(text).write(to: file, atomically: true, encoding: .utf8)
    }

    /// Replaces the text of the file, and waits until the gateway has loaded it.
    func reload(_ text: String) async throws {
        try put(text)
        let earlier = reloads
        gateway.signal(SIGHUP)
        guard await BearwardProcess.wait(until: { reloads > earlier }) else {
            throw FixtureFailure.notReady(gateway.standardError)
        }
    }

    private var reloads: Int { gateway.count(of: "Reloaded") }

    /// Stops the gateway and waits for its exit.
    func stop() async {
        gateway.signal(SIGTERM)
        _ = await gateway.exitStatus()
    }
}

// MARK: - Requests

extension ServedFile {
    /// A client with enough connections for tests that make many concurrent requests.
    private static let client: HTTPClient = {
        var settings = HTTPClient.Configuration()
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 128
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
    }()

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - credentials: the whole value of `Authorization`. Nil to send none.
    ///   - host: the value of `Host`. Nil for the address.
    func ask(_ path: String, credentials: String?, method: HTTPMethod = .GET, host: String? = nil) async throws
        -> GatewayFixture.Answer
    {
        try await Self.ask("http://127.0.0.1:\(port)\(path)", credentials: credentials, method: method, host: host)
    }

    func ask(_ path: String, token: String?, method: HTTPMethod = .GET, host: String? = nil) async throws
        -> GatewayFixture.Answer
    {
        try await ask(path, credentials: token.map { "Bearer \($0)" }, method: method, host: host)
    }

    /// Sends a request with one more header field.
    func ask(_ path: String, field: (name: String, value: String), host: String? = nil) async throws
        -> GatewayFixture.Answer
    {
        try await Self.ask("http://127.0.0.1:\(port)\(path)", field: field, method: .GET, host: host)
    }

    /// Sends a request to the admin listener.
    func administration(_ path: String) async throws -> GatewayFixture.Answer {
        try await Self.ask("http://127.0.0.1:\(adminPort)\(path)", credentials: nil, method: .GET, host: nil)
    }

    private static func ask(
        _ url: String, credentials: String?, method: HTTPMethod, host: String?
    ) async throws -> GatewayFixture.Answer {
        try await ask(url, field: credentials.map { ("Authorization", $0) }, method: method, host: host)
    }

    private static func ask(
        _ url: String, field: (name: String, value: String)?, method: HTTPMethod, host: String?
    ) async throws -> GatewayFixture.Answer {
        var request = HTTPClientRequest(url: url)
        request.method = method
        if let host { request.headers.add(name: "Host", value: host) }
        if let field { request.headers.add(name: field.name, value: field.value) }
        let response = try await client.execute(request, timeout: .seconds(20))
        let body = try await response.body.collect(upTo: 1 << 20)
        return GatewayFixture.Answer(
            status: Int(response.status.code), fields: response.headers, body: String(buffer: body))
    }
}

// MARK: - The access log

extension ServedFile {
    /// Number of requests in the access log with this reason.
    func logged(_ reason: String) -> Int {
        gateway.standardOutput.split(separator: "\"reason\":\"\(reason)\"", omittingEmptySubsequences: false).count - 1
    }

    /// Reason of the last request in the access log. Nil if it was forwarded.
    var lastReason: String? {
        guard let line = gateway.standardOutput.split(separator: "\n").last else { return nil }
        return line.firstMatch(of: /"reason":"([a-z_]+)"/).map { String($0.output.1) }
    }

    /// Waits until the access log has this many lines.
    func logHas(lines: Int) async -> Bool {
        await BearwardProcess.wait { gateway.standardOutput.utf8.count { $0 == UInt8(ascii: "\n") } >= lines }
    }
}
