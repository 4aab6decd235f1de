import DevelopmentIssuer
import Foundation
import ProviderFixtures
import TestSupport
import Testing

/// The providers' tokens and near-misses, through every proxy and directly to the gateway.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DoorProviderTests {
    /// A running proxy, and the results of the requests through it.
    private struct Peer {
        let peer: DoorPeer
        let running: DoorPeer.Running
        var requests = 0
        var letIn = 0
        var refused = 0

        mutating func add(_ report: DoorMatrix.Report) {
            requests += report.requests
            letIn += report.letIn
            refused += report.refused
        }
    }

    private static let place = "/api"

    private static func file(
        _ setup: ProviderSetup, keysOf server: ProviderServer, doors: [(kind: String, port: Int)], upstream: String
    ) -> String {
        let lines = doors.map { "  - {kind: \($0.kind), address: \"127.0.0.1:\($0.port)\", from: [127.0.0.1/32]}\n" }
            .joined()
        let entries = setup.yaml(issuer: setup.provider.rawValue, place: place, upstream: upstream) {
            server.keySetURL($0) ?? ""
        }
        return "listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nevent_loops: 1\naccess_log: none\ndoors:\n\(lines)\n\(entries)"
    }

    /// The request of a trial, with a newly issued token.
    private static func request(
        _ trial: SampleTrial, of provider: ProviderName, _ server: ProviderServer
    ) throws -> DoorMatrix.Cases.Request {
        let field = provider.field(with: try #require(server.mint(SampleRequest(trial.sample.id))).token)
        let isPost = trial.call.method == "POST"
        let lines = [
            "\(trial.call.method) \(place)\(trial.call.path) HTTP/1.1", "Host: lab.example",
            "\(field.name): \(field.value)",
        ]
        let text = (lines + (isPost ? ["Content-Length: 2", "", "{}"] : ["", ""])).joined(separator: "\r\n")
        return DoorMatrix.Cases.Request(name: trial.summary, bytes: Data(text.utf8).base64EncodedString())
    }

    @Test(.slow) func `every provider's tokens and near-misses are judged behind a proxy as without it`() async throws {
        let upstream = try await LoopbackServer.start { ThreatLab.answer(to: $0) }
        let kinds = Set(DoorPeer.installed.map(\.door)).sorted()
        let doors = try kinds.map { (kind: $0, port: try FreePort.find()) }
        var peers: [Peer] = []
        for peer in DoorPeer.installed {
            let port = try #require(doors.first { $0.kind == peer.door }).port
            peers.append(
                Peer(
                    peer: peer,
                    running: try await peer.start(door: port, upstream: String(upstream.url.dropFirst("http://".count)))
                ))
        }
        var (nearMisses, permitted) = (0, 0)
        for provider in ProviderName.allCases {
            let server = try await ProviderServer.start(as: provider)
            for setup in server.samples.setups {
                let trials = server.samples.trials.filter { $0.variant == setup.variant }
                let gateway = try await ServedFile.start(
                    Self.file(setup, keysOf: server, doors: doors, upstream: upstream.url))
                let cases = DoorMatrix.Cases(
                    requests: try trials.map { try Self.request($0, of: provider, server) }, seed: 1, tokens: [],
                    paths: 0)
                for index in peers.indices {
                    let report = try await DoorMatrix.report(
                        of: cases, through: peers[index].running.port, peers[index].peer, beside: gateway.port)
                    let place = "\(peers[index].peer), \(provider.rawValue), \(setup.variant)"
                    #expect(report.requests == trials.count, "\(place)")
                    #expect(report.letIn == trials.count { $0.expectedReason == nil }, "\(place)")
                    #expect(
                        report.opened.isEmpty && report.differences.isEmpty && report.listed.isEmpty,
                        "\(place): \(report)")
                    #expect(report.own == 0, "\(place)")
                    peers[index].add(report)
                }
                nearMisses += trials.count { $0.sample.why != nil }
                permitted += trials.count { $0.expectedReason == nil }
                await gateway.stop()
            }
            await server.stop()
        }
        #expect(nearMisses == ProviderSamples.all.reduce(0) { $0 + $1.nearMisses.count })
        for peer in peers {
            print(
                "\(peer.peer): \(peer.requests) requests of providers' tokens, \(peer.letIn) let in, \(peer.refused) refused"
            )
            #expect(peer.letIn == permitted && peer.refused == peer.requests - permitted && peer.refused >= nearMisses)
            await peer.running.stop()
        }
        await upstream.stop()
    }
}
