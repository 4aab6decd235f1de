import Foundation
import JOSESigning
import TestSupport
import Testing

/// A gateway with one door, the proxy that asks at it, and an application that tells what has reached it
/// (`Interop/proxied.py`).
struct ProxiedLab {
    /// Kind of application.
    enum Application: String {
        /// One that takes every upgrade that it is asked for.
        case application
        /// A server that takes h2c as it is installed.
        case hypercorn
    }

    let tokens = ThreatTokens()
    let peer: DoorPeer.Running
    private let served: ServedFile
    private let application: (process: BearwardProcess, port: String)
    private let python: URL
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - changing: what of the proxy's configuration is changed besides addresses.
    ///   - doorTLS: the door's `tls`.
    ///   - instead: texts that are used for the shipped files of these names.
    static func start(
        _ kind: DoorPeer, before application: Application = .application, changing: [String: String] = [:],
        doorTLS: String? = nil,
        instead: (_ door: Int, _ application: String) async throws -> [String: String] = { _, _ in [:] }
    ) async throws -> ProxiedLab {
        let python = try #require(Interop.pythonWithHypercorn)
        let running = try await Interop.serve("proxied.py", with: python, before: [application.rawValue])
        let folder = try TemporaryFolder()
        let keys = try folder.write(SigningKey.jwkSetJSON([TestKeys.rsa, TestKeys.ec]), to: "iss.json")
        let door = try FreePort.find()
        let terms = ["kind: \(kind.door)", "address: \"127.0.0.1:\(door)\"", "from: [127.0.0.1/32]", doorTLS]
            .compactMap(\.self)
        let served = try await ServedFile.start(text(door: terms.joined(separator: ", "), keys: keys.path))
        let peer = try await kind.start(
            door: door, upstream: "127.0.0.1:\(running.port)", metadata: served.port, changing: changing,
            instead: try await instead(door, running.port))
        return ProxiedLab(peer: peer, served: served, application: running, python: python, folder: folder)
    }

    private static func text(door: String, keys: String) -> String {
        """
        listen: 127.0.0.1:0
        admin: 127.0.0.1:0
        event_loops: 1
        doors: {\(door)}
        issuers:
          iss: {issuer: "https://iss.example", jwks_file: "\(keys)", algorithms: [RS256, ES256], token_type: at+jwt}
        resources:
          lab:
            at: [lab.example]
            audiences: [api]
            issuers: [iss]
            rules:
              ANY /public/**: {public: true}
              ANY /orders/**: read
              ANY /admin/**: admin
            forward:
              identity: {subject: X-Auth-Subject, scopes: X-Auth-Scope}
          sockets:
            at: [lab.example/public/sockets]
            websocket: {origins: [https://app.example]}
            rules: {GET /**: {public: true}}
            metadata: none

        """
    }

    /// Runs one of the script's clients against the proxy, and answers with what it reports.
    ///
    /// - Parameter port: of the proxy, if it is another than that of HTTP/1.1.
    func report<Report: Decodable>(_ command: String, at port: Int? = nil, _ arguments: [String] = [], as: Report.Type)
        async throws
        -> Report
    {
        let client = try BearwardProcess(
            program: python,
            [Interop.script("proxied.py"), command, "\(port ?? peer.port)", application.port] + arguments)
        let status = await client.exitStatus(within: .seconds(200))
        #expect(status == 0, "\(client.standardError.suffix(2000))")
        return try JSONDecoder().decode(Report.self, from: Data(client.standardOutput.utf8))
    }

    func stop() async {
        await peer.stop()
        await served.stop()
        application.process.signal(SIGKILL)
        _ = await application.process.exitStatus()
    }
}

// MARK: - What the script reports

extension ProxiedLab {
    /// Upgrades of every form, and what became of them.
    struct Upgrades: Decodable {
        let asked: Int
        /// Requests that went on as ordinary ones.
        let ordinary: Int
        /// Requests that the proxy refused by itself, with its answers.
        let refused: [String]
        /// WebSockets that were switched to.
        let sockets: [String]
        /// Other upgrades that reached the application, and requests that nobody judged.
        let faults: [String]
    }

    /// Handshakes of pages, and what became of them.
    struct Openers: Decodable {
        /// Origins whose handshakes were switched to WebSockets; empty: none was stated.
        let opened: [String]
        /// Origins whose handshakes were answered with 403.
        let refused: [String]
        /// Handshakes that reached the application without being switched to, or were refused otherwise.
        let faults: [String]
        /// Ordinary requests of those pages that were answered.
        let ordinary: [String]
    }

    /// Names in every spelling, and what became of them.
    struct Names: Decodable {
        let asked: Int
        let forwarded: Int
        /// Requests that the proxy may refuse, and has.
        let refused: Int
        /// Fields that reached the application, identities that did not, and requests that were refused.
        let faults: [String]
        /// Trailers that reached the application.
        let trailers: [String]
    }

    private struct Seen: Decodable {
        let line: String
        let switched: Bool
        let requests: [String]
    }

    /// Asks the proxy before a server that takes h2c for a tunnel, and expects one ordinary request in its place.
    func expectNoTunnel() async throws {
        let seen = try await report("tunnel", as: Seen.self)
        #expect(!seen.switched && seen.line.hasPrefix("HTTP/1.1 200 "), "\(seen)")
        #expect(seen.requests.count == 1 && seen.requests.first?.hasPrefix("GET /public/x 1.") == true, "\(seen)")
    }
}
