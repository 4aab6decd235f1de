import Foundation
import TestSupport
import Testing

/// The real proxies with the configurations that are shipped for them, held against the gateway as the proxy.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DoorMatrixTests {
    /// What the driver of a matrix saw.
    private struct Report: Decodable {
        let requests: Int
        let letIn: Int
        let refused: Int
        /// Requests that the proxy refused by itself, before it asked.
        let own: Int
        /// Cases that differ as the documentation says.
        let listed: [String]
        /// What was let in that the gateway refuses.
        let opened: [[Seen]]
        /// Other differences of status, challenge, content or `Retry-After`.
        let differences: [[Seen]]

        enum CodingKeys: String, CodingKey {
            case requests, refused, own, listed, opened, differences
            case letIn = "let_in"
        }

        func summary(of peer: DoorPeer) -> String {
            """
            \(peer): \(requests) requests, \(letIn) let in, \(refused) refused, of these \(own) by itself; \
            listed: \(listed.joined(separator: ", "))
            """
        }
    }

    /// Any JSON, as text.
    private struct Seen: Decodable, CustomStringConvertible {
        let description: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                description = text
            } else if let list = try? container.decode([Seen].self) {
                description = "\(list)"
            } else if let members = try? container.decode([String: Seen].self) {
                description = members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
            } else if let number = try? container.decode(Int.self) {
                description = "\(number)"
            } else {
                description = "null"
            }
        }
    }

    private struct Cases: Encodable {
        struct Request: Encodable {
            let name: String
            let bytes: String
        }

        var requests: [Request]
        let seed: Int
        let tokens: [String]
        let paths: Int
    }

    private func withLab(at peer: DoorPeer, _ body: (ThreatLab, DoorPeer.Running) async throws -> Void) async throws {
        let door = try FreePort.find()
        let line = "doors: [{kind: \(peer.door), address: \"127.0.0.1:\(door)\", from: [127.0.0.1/32]}]\n"
        let lab = try await ThreatLab.start { line + $0 }
        let running = try await peer.start(door: door, upstream: lab.upstreamAddress, metadata: lab.served.port)
        do {
            try await body(lab, running)
        } catch {
            await running.stop()
            await lab.stop()
            throw error
        }
        await running.stop()
        await lab.stop()
    }

    private func report(_ lab: ThreatLab, _ peer: DoorPeer, _ running: DoorPeer.Running, _ cases: Cases) async throws -> Report {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("cases-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONEncoder().encode(cases).write(to: file)
        let driver = try BearwardProcess(
            program: try #require(Interop.python),
            [Interop.script("doors.py"), "matrix", peer.door, "\(running.port)", "\(lab.served.port)", file.path])
        let status = await driver.exitStatus(within: .seconds(400))
        #expect(status == 0, "\(driver.standardError.suffix(2000))")
        return try JSONDecoder().decode(Report.self, from: Data(driver.standardOutput.utf8))
    }

    /// Credentials of every shape, and tokens that are refused for one thing each.
    private static let cases =
        ThreatCases.credentials + ThreatCases.compactForms + ThreatCases.headers + ThreatCases.signatures + ThreatCases.json
        + ThreatCases.times + ThreatCases.claims + ThreatCases.scopes + ThreatCases.paths

    @Test(arguments: DoorPeer.installed)
    func `every shape of credentials and every hostile token is judged as without the other proxy`(_ peer: DoorPeer) async throws {
        try await withLab(at: peer) { lab, running in
            let requests = Self.cases.filter { $0.outcomes.count == 1 }.map { threat in
                Cases.Request(name: threat.name, bytes: Data(lab.bytes(of: threat)).base64EncodedString())
            }
            let report = try await report(lab, peer, running, Cases(requests: requests, seed: 1, tokens: [], paths: 0))
            print(report.summary(of: peer))
            #expect(report.requests == requests.count)
            #expect(report.letIn > 20 && report.refused > 200)
            #expect(report.opened.isEmpty)
            #expect(report.differences.isEmpty)
        }
    }

    @Test(arguments: DoorPeer.installed)
    func `no spelling of a path and no planted field opens what is closed (T491, T494, T497)`(_ peer: DoorPeer) async throws {
        try await withLab(at: peer) { lab, running in
            let good = lab.tokens.goodText
            let cases = Cases(requests: [], seed: 20, tokens: [good, "a.b.c"], paths: 5000)
            let report = try await report(lab, peer, running, cases)
            print(report.summary(of: peer))
            #expect(report.requests == 5000)
            // Envoy refuses every request with a name that has `_`.
            #expect(report.letIn > 30 && report.refused > 2000)
            #expect(report.opened.isEmpty)
            #expect(report.differences.isEmpty)
        }
    }
}
