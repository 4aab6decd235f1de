import Foundation
import JOSESigning
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport

/// The real gateway with the configuration of the threat cases, and an upstream that records the requests it gets.
final class ThreatLab: Sendable {
    let tokens = ThreatTokens()
    let served: ServedFile
    private let upstream: LoopbackServer
    private let reached: Reached
    private let folder: TemporaryFolder

    final class Reached: Sendable {
        private let requests = Mutex<[LoopbackRequest]>([])

        func add(_ request: LoopbackRequest) { requests.withLock { $0.append(request) } }

        var all: [LoopbackRequest] { requests.withLock { $0 } }
    }

    private init(_ served: ServedFile, _ upstream: LoopbackServer, _ reached: Reached, _ folder: TemporaryFolder) {
        self.served = served
        self.upstream = upstream
        self.reached = reached
        self.folder = folder
    }

    static func start(
        environment: [String: String] = [:], launcher: [String] = [], _ change: (String) -> String = { $0 }
    ) async throws -> ThreatLab {
        let reached = Reached()
        let upstream = try await LoopbackServer.start { request in
            reached.add(request)
            return Self.answer(to: request)
        }
        let folder = try TemporaryFolder()
        let keys = try folder.write(SigningKey.jwkSetJSON([TestKeys.rsa, TestKeys.ec]), to: "iss.json")
        let others = try folder.write(SigningKey.jwkSetJSON([ThreatTokens.other]), to: "other.json")
        let text = change(configuration(keys: keys.path, others: others.path, upstream: upstream.url))
        return ThreatLab(
            try await ServedFile.start(text, environment: environment, launcher: launcher), upstream, reached, folder)
    }

    /// Fields with the caller's identity, and fields from which an application may take another method or path.
    private static let told = [
        "x-auth-subject", "x-auth-scope", "authorization", "x-http-method-override", "x-http-method",
        "x-method-override", "x-original-url",
        "x-rewrite-url", "proxy",
    ]

    /// Answers of a careless or hostile application: another user's identity, many cookies, and bodies that would
    /// expand.
    static func answer(to request: LoopbackRequest) -> LoopbackReply {
        var reply = LoopbackReply(body: ByteBuffer(string: "ok"))
        reply.fields.add(name: "X-Auth-Subject", value: "forged")
        // Identity that the application saw, for tests that compare it.
        let stated = request.fields.filter { told.contains($0.name.lowercased()) }
            .map { "\"\($0.name.lowercased()): \($0.value)\"" }
        reply.fields.add(name: "X-Reached", value: "shop")
        reply.fields.add(name: "X-Identity", value: "[\(stated.joined(separator: ","))]")
        if request.path == "/public/cookies" {
            for number in 0..<60 { reply.fields.add(name: "Set-Cookie", value: "c\(number)=1") }
        }
        if request.path == "/public/compressed" {
            reply.fields.add(name: "Content-Encoding", value: "gzip")
            reply.body = ByteBuffer(bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        }
        return reply
    }

    private static func configuration(keys: String, others: String, upstream: String) -> String {
        """
        listen: 127.0.0.1:0
        admin: 127.0.0.1:0
        event_loops: 1
        issuers:
          iss: {issuer: "https://iss.example", jwks_file: "\(keys)", algorithms: [RS256, ES256], token_type: at+jwt}
          other: {issuer: "https://other.example", jwks_file: "\(others)", algorithms: [RS256], token_type: at+jwt}
        resources:
          api:
            at: [lab.example]
            issuers: [iss]
            upstream: \(upstream)
            rules:
              GET /orders/**: read
              POST /orders: read
              GET /orders/admin: admin
              GET /both: read write
              GET /any: {any_of: [write, read]}
              GET /office: {clients: [back-office]}
              GET /sales: {claims: {department: sales}}
              GET /truth: {claims: {flag: true}}
              GET /public/**: {public: true}
              GET,HEAD /status: {public: true}
            forward:
              identity: {subject: X-Auth-Subject, scopes: X-Auth-Scope}
          billing:
            at: [lab.example/billing]
            issuers: [iss, other]
            upstream: \(upstream)
            rules: {ANY /**: read}

        """
    }

    /// Address of the upstream, as `host:port`.
    var upstreamAddress: String { String(upstream.url.dropFirst("http://".count)) }

    /// All requests that have reached the upstream so far, in order.
    var requests: [LoopbackRequest] { reached.all }

    /// Sends one request, the last on its connection. Returns the client's response and the upstream's request.
    func ask(_ line: String, _ fields: [String], body: String = "") throws -> (
        response: String, request: LoopbackRequest?
    ) {
        let before = requests.count
        let connection = try RawConnection(port: served.port)
        let text =
            ([line, "Host: lab.example", "Connection: close"] + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
        connection.send(Array(text.replacingOccurrences(of: "GOOD", with: tokens.goodText).utf8))
        connection.receive { _ in false }
        return (connection.text, requests.dropFirst(before).last)
    }

    func stop() async {
        await served.stop()
        await upstream.stop()
    }

    // MARK: Running cases

    /// The outcome of one case.
    struct Result: Sendable {
        var statuses: [Int] = []
        var response = ""
        /// True if the connection was usable afterwards.
        var stayed = false
        var logLines: [String] = []
        var reached: [LoopbackRequest] = []
        /// True if bytes after a last request reached the upstream.
        var leaked = false
    }

    /// Runs cases one after another. Requests between them mark the boundaries of cases in the log.
    func run(_ cases: [ThreatCase]) async throws -> [String: Result] {
        var results: [String: Result] = [:]
        for (index, threat) in cases.enumerated() {
            let before = reached.all.count
            var result = try exchange(threat)
            result.reached = Array(reached.all.dropFirst(before))
            result.leaked = result.reached.contains { $0.path == "/public/behind" }
            results[threat.name] = result
            let mark = try RawConnection(port: served.port)
            mark.send(
                Array("GET /public/mark-\(index) HTTP/1.1\r\nHost: lab.example\r\nConnection: close\r\n\r\n".utf8))
            mark.receive { _ in false }
        }
        let last = "/public/mark-\(cases.count - 1)\""
        _ = await BearwardProcess.wait { served.gateway.standardOutput.contains(last) }
        var lines = served.gateway.standardOutput.split(separator: "\n").map(String.init)[...]
        for (index, threat) in cases.enumerated() {
            let own = lines.prefix { !$0.contains("/public/mark-\(index)\"") }
            results[threat.name]?.logLines = own.filter { !$0.contains("/public/after\"") }
            lines = lines.dropFirst(own.count + 1)
        }
        return results
    }

    private func exchange(_ threat: ThreatCase) throws -> Result {
        let connection = try RawConnection(port: served.port)
        var bytes = bytes(of: threat)
        // Bytes after a request that ends its connection must not be taken for a request.
        if !threat.stays, bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            bytes += Array("GET /public/behind HTTP/1.1\r\nHost: lab.example\r\n\r\n".utf8)
        }
        connection.send(bytes)
        let expected = threat.outcomes.count
        connection.receive { _ in connection.statuses.count >= expected }
        var result = Result()
        if threat.stays {
            connection.send(Array("GET /public/after HTTP/1.1\r\nHost: lab.example\r\n\r\n".utf8))
            connection.receive { _ in connection.statuses.count > expected }
            result.stayed = connection.statuses.count == expected + 1 && connection.statuses.last == 200
            result.statuses = Array(connection.statuses.prefix(expected))
        } else {
            connection.receive { _ in false }
            result.stayed = !connection.hasEnded
            result.statuses = connection.statuses
        }
        result.response = connection.text
        return result
    }

    func bytes(of threat: ThreatCase) -> [UInt8] {
        switch threat.request {
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.replacingOccurrences(of: "GOOD", with: tokens.goodText).utf8)
        case .token(let path, let make):
            Array("GET \(path) HTTP/1.1\r\nHost: lab.example\r\nAuthorization: Bearer \(make(tokens))\r\n\r\n".utf8)
        }
    }
}
