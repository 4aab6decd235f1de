import Foundation
import JOSESigning
import TestSupport
import Testing

/// A gateway with one door, the proxy that asks at it, and an application that reports the requests it receives
/// (`Interop/proxied.py`).
struct ProxiedLab {
    /// The kind of application behind the proxy.
    enum Application: String {
        /// An application that accepts every upgrade.
        case application
        /// A server that accepts h2c by default.
        case hypercorn
    }

    let tokens = ThreatTokens()
    let peer: DoorPeer.Running
    private let served: ServedFile
    private let application: (process: BearwardProcess, port: String)
    private let python: URL
    private let folder: TemporaryFolder

    /// Starts gateway, proxy and application.
    ///
    /// - Parameters:
    ///   - changing: changes to the proxy's configuration besides addresses.
    ///   - doorTLS: the door's `tls`.
    ///   - instead: texts used in place of the shipped files with these names.
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

    /// Runs one of the script's clients against the proxy and returns its report.
    ///
    /// - Parameter port: the port of the proxy, if it differs from that for HTTP/1.1.
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
    /// Results of upgrades of every form.
    struct Upgrades: Decodable {
        let asked: Int
        /// Number of requests that were forwarded as ordinary ones.
        let ordinary: Int
        /// Requests that the proxy refused itself, with its answers.
        let refused: [String]
        /// WebSockets whose protocol was switched.
        let sockets: [String]
        /// Other upgrades that reached the application, and requests that were not judged.
        let faults: [String]
    }

    /// Results of WebSocket handshakes from pages.
    struct Openers: Decodable {
        /// Origins whose handshakes opened a WebSocket. Empty for a handshake without an origin.
        let opened: [String]
        /// Origins whose handshakes were answered with 403.
        let refused: [String]
        /// Handshakes that reached the application without a switch, or were refused with another status.
        let faults: [String]
        /// Answered ordinary requests from those pages.
        let ordinary: [String]
    }

    /// Results for field names in every spelling.
    struct Names: Decodable {
        let asked: Int
        let forwarded: Int
        /// Number of requests that the proxy refused, as it may.
        let refused: Int
        /// Planted fields that reached the application, identities that did not, and requests refused without need.
        let faults: [String]
        /// Trailers that reached the application.
        let trailers: [String]
    }

    private struct Seen: Decodable {
        let line: String
        let switched: Bool
        let requests: [String]
    }

    /// Asks for an h2c tunnel through the proxy to a server that accepts h2c. Expects one ordinary request in its
    /// place.
    func expectNoTunnel() async throws {
        let seen = try await report("tunnel", as: Seen.self)
        #expect(!seen.switched && seen.line.hasPrefix("HTTP/1.1 200 "), "\(seen)")
        #expect(seen.requests.count == 1 && seen.requests.first?.hasPrefix("GET /public/x 1.") == true, "\(seen)")
    }
}
