import Foundation
import TestSupport
import Testing

/// The real proxies with their shipped configurations, compared with the gateway as the proxy.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DoorMatrixTests {
    private func withLab(at peer: DoorPeer, _ body: (ThreatLab, DoorPeer.Running) async throws -> Void) async throws {
        let door = try FreePort.find()
        let lines = """
            doors: [{kind: \(peer.door), address: "127.0.0.1:\(door)", from: [127.0.0.1/32]}]
            limits: {failed_verifications_per_address: off}

            """
        let lab = try await ThreatLab.start { lines + $0 }
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

    /// Credentials of every shape, and tokens with one fault each.
    private static let cases =
        ThreatCases.credentials + ThreatCases.compactForms + ThreatCases.headers + ThreatCases.signatures
        + ThreatCases.json
        + ThreatCases.times + ThreatCases.claims + ThreatCases.scopes + ThreatCases.paths

    @Test(.enabled(if: Interop.python != nil)) func `each allowed difference at a door is documented`() async throws {
        let driver = try BearwardProcess(program: try #require(Interop.python), [Interop.script("doors.py"), "listed"])
        #expect(await driver.exitStatus() == 0, "\(driver.standardError)")
        let listed = try JSONDecoder().decode([String: [String: String?]].self, from: Data(driver.standardOutput.utf8))
        let page = try String(
            contentsOf: Interop.packageDirectory.appendingPathComponent("docs/doors.md"), encoding: .utf8)
        #expect(Set(DoorPeer.allCases.map(\.door)).isSubset(of: Set(listed.keys)))
        for (kind, sentences) in listed {
            for (name, sentence) in sentences {
                #expect(sentence.map(page.contains) == true, "\(kind): \(name)")
            }
        }
    }

    @Test(arguments: Effort.some(DoorPeer.installed, quick: 2))
    func `credentials and hostile tokens are judged behind a proxy as without it`(_ peer: DoorPeer)
        async throws
    {
        try await withLab(at: peer) { lab, running in
            let requests = Self.cases.filter { $0.outcomes.count == 1 }.map { threat in
                DoorMatrix.Cases.Request(name: threat.name, bytes: Data(lab.bytes(of: threat)).base64EncodedString())
            }
            let report = try await DoorMatrix.report(
                of: DoorMatrix.Cases(requests: requests, seed: 1, tokens: [], paths: 0), through: running.port, peer,
                beside: lab.served.port)
            print(report.summary(of: peer))
            #expect(report.requests == requests.count)
            #expect(report.letIn > 20 && report.refused > 200)
            #expect(report.opened.isEmpty)
            #expect(report.differences.isEmpty)
        }
    }

    @Test(arguments: Effort.some(DoorPeer.installed, quick: 1))
    func `no spelling of a path and no planted field opens a closed path (T491, T494, T497)`(_ peer: DoorPeer)
        async throws
    {
        try await withLab(at: peer) { lab, running in
            let good = lab.tokens.goodText
            let cases = DoorMatrix.Cases(requests: [], seed: 20, tokens: [good, "a.b.c"], paths: 5000)
            let report = try await DoorMatrix.report(of: cases, through: running.port, peer, beside: lab.served.port)
            print(report.summary(of: peer))
            #expect(report.requests == 5000)
            #expect(report.letIn > 30 && report.refused > 2000)
            #expect(report.opened.isEmpty)
            #expect(report.differences.isEmpty)
        }
    }
}
