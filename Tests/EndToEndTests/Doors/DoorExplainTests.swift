import Foundation
import JOSESigning
import TestSupport
import Testing

/// `explain --door` compared with a door of each kind, with the same fields.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DoorExplainTests {
    private struct Explained: Decodable {
        struct Step: Decodable {
            let step: String
            let detail: String
        }

        let status: Int
        let reason: String?
        let steps: [Step]
    }

    /// A request that a proxy sends to a door.
    private struct Question {
        let method: String
        let target: String
        var fields: [String]
    }

    private static let kinds = ["nginx", "haproxy", "traefik", "caddy", "envoy-http"]

    /// A question about a request, with the fields of this kind of door.
    private static func question(_ kind: String, _ method: String, _ target: String) -> Question {
        switch kind {
        case "envoy-http":
            Question(method: method, target: target, fields: ["Host: lab.example", "x-forwarded-proto: https"])
        case "traefik", "caddy":
            Question(method: "GET", target: "/", fields: ["Host: door"] + stated("X-Forwarded", "Uri", method, target))
        default:
            Question(method: "GET", target: "/", fields: ["Host: door"] + stated("X-Original", "URI", method, target))
        }
    }

    private static func stated(_ family: String, _ uri: String, _ method: String, _ target: String) -> [String] {
        [
            "\(family)-Method: \(method)", "\(family)-\(uri): \(target)", "\(family)-Host: lab.example",
            "\(family)-Proto: https",
        ]
    }

    private let tokens = ThreatTokens()

    private func text(_ kind: String, _ door: Int, keys: String) -> String {
        """
        listen: 127.0.0.1:0
        admin: 127.0.0.1:0
        event_loops: 1
        doors: {kind: \(kind), address: "127.0.0.1:\(door)", from: [127.0.0.1/32]}
        issuers:
          iss: {issuer: "https://iss.example", jwks_file: "\(keys)", algorithms: [RS256, ES256], token_type: at+jwt}
        resources:
          https://lab.example/:
            audiences: [api]
            issuers: [iss]
            metadata: none
            rules: {GET /orders/**: read, POST /orders/**: write}

        """
    }

    /// The status for the client, according to the door's answer.
    private func status(of question: Question, at port: Int, _ fields: [String]) throws -> Int? {
        let connection = try RawConnection(port: port)
        let lines =
            ["\(question.method) \(question.target) HTTP/1.1", "Connection: close"] + question.fields + fields + [
                "", "",
            ]
        connection.send(Array(lines.joined(separator: "\r\n").utf8))
        connection.receive { _ in false }
        let told = connection.text.firstMatch(of: /x-bearward-status: ([0-9]+)/).flatMap { Int($0.1) }
        return told ?? connection.statuses.first
    }

    private func explain(_ question: Question, at kind: String, _ fields: [String], _ served: ServedFile) async throws
        -> Explained
    {
        let file = served.directory.appendingPathComponent("bearward.yaml").path
        let headers = (question.fields + fields).flatMap { ["--header", $0] }
        let command = try BearwardProcess(
            ["explain", "--config", file, "--door", kind, "--format", "json", question.method, question.target]
                + headers, input: "")
        #expect(await command.exitStatus() == 0, "\(command.standardError)")
        return try JSONDecoder().decode(Explained.self, from: Data(command.standardOutput.utf8))
    }

    @Test(arguments: Effort.some(kinds, quick: 2))
    func `explain gives the verdict of the door, and names the fault of a question (T490, T491)`(_ kind: String)
        async throws
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let keys = try folder.write(SigningKey.jwkSetJSON([TestKeys.rsa, TestKeys.ec]), to: "iss.json")
        let door = try FreePort.find()
        let served = try await ServedFile.start(text(kind, door, keys: keys.path))
        var lines = 0

        /// Expects the same verdict from `explain` and the door. `detail` is part of the detail that `explain` prints.
        func both(_ question: Question, _ fields: [String] = [], reason: String?, detail: String? = nil) async throws {
            let explained = try await explain(question, at: kind, fields, served)
            #expect(try status(of: question, at: door, fields) == explained.status, "\(question)")
            lines += 1
            #expect(await served.logHas(lines: lines))
            #expect(served.lastReason == reason && explained.reason == reason, "\(question): \(explained)")
            guard let detail else { return }
            #expect(explained.steps.last?.detail.contains(detail) == true, "\(explained.steps)")
        }

        let good = ["Authorization: Bearer \(tokens.goodText)"]
        let (get, post) = (Self.question(kind, "GET", "/orders/7"), Self.question(kind, "POST", "/orders/7"))
        try await both(get, good, reason: nil)
        try await both(get, reason: "missing_credentials")
        try await both(get, good + good, reason: "multiple_credentials")
        try await both(post, good, reason: "insufficient_scope")
        try await both(Self.question(kind, "GET", "/orders/%2e%2e/x"), good, reason: "bad_request")

        // Each stated field is missing, duplicated, empty, or named in `Connection`.
        let first = kind == "envoy-http" ? "x-forwarded-proto" : String(get.fields[1].prefix { $0 != ":" })
        for index in get.fields.indices where index > 0 {
            let name = kind == "envoy-http" ? "X-Forwarded-Proto" : String(get.fields[index].prefix { $0 != ":" })
            var question = get
            question.fields.remove(at: index)
            try await both(question, good, reason: "door_request_invalid", detail: "`\(name)` is missing")
            question.fields = get.fields + [get.fields[index]]
            try await both(question, good, reason: "door_request_invalid", detail: "`\(name)` occurs more than once")
            question.fields = get.fields
            question.fields[index] = "\(name):"
            try await both(question, good, reason: "door_request_invalid", detail: "`\(name)` is empty")
        }
        // The fields of another kind of door state nothing, alone or in addition.
        let other =
            kind == "nginx" || kind == "haproxy"
            ? Self.stated("X-Forwarded", "Uri", "GET", "/orders/7")
            : Self.stated("X-Original", "URI", "GET", "/orders/7")
        var foreign = get
        foreign.fields = ["Host: lab.example"] + other
        let missing = kind == "envoy-http" ? "X-Forwarded-Proto" : first
        let detail =
            "`\(missing)` is missing; ignored, because another kind of door reads them: "
            + other.map { "`\($0.prefix { $0 != ":" })`" }.joined(separator: ", ")
        try await both(foreign, good, reason: "door_request_invalid", detail: detail)
        if kind != "nginx", kind != "haproxy" { try await both(post, good + other, reason: "insufficient_scope") }
        await served.stop()
    }

    @Test(arguments: Effort.some(kinds, quick: 2))
    func `any handshake field that the proxy states makes a WebSocket's origin be judged (T503)`(
        _ kind: String
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let keys = try folder.write(SigningKey.jwkSetJSON([TestKeys.rsa, TestKeys.ec]), to: "iss.json")
        let door = try FreePort.find()
        let served = try await ServedFile.start(text(kind, door, keys: keys.path) + Self.sockets)
        let question = Self.question(kind, "GET", "/sockets/x")
        let origins: [(String, String?)] = [("https://app.example", nil), ("https://evil.example", "origin_refused")]
        let signs = ["Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"]
        for fields in [["Connection: Upgrade"] + signs] + signs.map({ [$0] }) {
            for (origin, reason) in origins {
                let all = fields + ["Origin: \(origin)"]
                #expect(try status(of: question, at: door, all) == (reason == nil ? 200 : 403), "\(all)")
                #expect(try await explain(question, at: kind, all, served).reason == reason, "\(all)")
            }
            #expect(try status(of: question, at: door, fields) == 200, "a client that is no browser states no origin")
        }
        #expect(try status(of: question, at: door, ["Origin: https://evil.example"]) == 200, "opens none")
        #expect(
            try status(of: question, at: door, ["Origin: https://evil.example", "Upgrade: h2c"]) == 200, "opens none")
        await served.stop()
    }

    /// A resource that is reachable through doors only. Pages of one origin may open its WebSockets.
    private static let sockets = """
          https://lab.example/sockets:
            websocket: {origins: [https://app.example]}
            metadata: none
            rules: {GET /**: {public: true}}

        """

    @Test func `explain for a gRPC door judges the stated method, URL and fields`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let keys = try folder.write(SigningKey.jwkSetJSON([TestKeys.rsa, TestKeys.ec]), to: "iss.json")
        let served = try await ServedFile.start(text("envoy-grpc", try FreePort.find(), keys: keys.path))
        let good = "Authorization: Bearer \(tokens.goodText)"
        func explain(_ method: String, _ fields: [String]) async throws -> Explained {
            try await self.explain(
                Question(method: method, target: "/orders/7", fields: ["Host: lab.example"]), at: "envoy-grpc", fields,
                served)
        }
        #expect(try await explain("GET", [good]).status == 200)
        #expect(try await explain("POST", [good]).reason == "insufficient_scope")
        // The fields of another kind of door are ordinary fields of the client.
        #expect(
            try await explain("POST", [good, "X-Forwarded-Method: GET", "X-Original-Method: GET"]).reason
                == "insufficient_scope")
        #expect(try await explain("GET", [good, good]).reason == "multiple_credentials")
        await served.stop()
    }
}
