import Foundation
import TestSupport
import Testing

/// Fields that the gateway never forwards, sent in every spelling through the real proxies.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Interop.pythonWithHypercorn != nil)) struct DoorNameTests {
    enum Form: String, CaseIterable {
        case fields
        /// Names listed in `Connection`.
        case options
        case trailers
        /// Fields and trailers over HTTP/2.
        case sessions

        /// Minimum number of requests.
        var requests: Int {
            switch self {
            case .fields: 3500
            case .options: 500
            case .trailers: 3500
            case .sessions: 3500
            }
        }
    }

    /// Documented limitation of each peer.
    private static let listed: [DoorPeer: String] = [
        .haproxy:
            "HAProxy before 3.2 forwards the trailers of a request. Do not put an application behind it that reads them as headers."
    ]

    /// Expects that no planted field reached the application.
    ///
    /// - Parameter listed: whether the documentation says that the peer forwards trailers.
    static func check(_ report: ProxiedLab.Names, _ form: Form, through peer: DoorPeer, listed: Bool = false) {
        print(
            "\(peer), \(form): \(report.asked) requests, \(report.forwarded) forwarded, \(report.trailers.count) with trailers"
        )
        #expect(report.asked >= form.requests)
        #expect(report.forwarded + report.refused == report.asked, "\(report.faults.prefix(20))")
        // nginx takes no trailers over HTTP/2; the other requests are refused for bytes that are invalid in a name.
        #expect(report.forwarded * 2 >= report.asked - 100)
        #expect(report.faults.isEmpty, "\(report.faults.count): \(report.faults.prefix(20))")
        if !listed {
            #expect(report.trailers.isEmpty, "\(report.trailers.count): \(report.trailers.prefix(20))")
        }
    }

    @Test func `each limitation of a peer proxy is documented`() throws {
        let page = try String(
            contentsOf: Interop.packageDirectory.appendingPathComponent("docs/doors.md"), encoding: .utf8)
        for sentence in Self.listed.values { #expect(page.contains(sentence)) }
    }

    @Test(arguments: Effort.some(DoorPeer.installed, quick: 1), Effort.some(Form.allCases, quick: 1))
    func `no spelling of a field that is never forwarded reaches the application (T497, T501)`(
        _ peer: DoorPeer, _ form: Form
    ) async throws {
        let (port, changes) = try peer.sessions()
        let lab = try await ProxiedLab.start(peer, changing: form == .sessions ? changes : [:])
        let report = try await lab.report(
            "names", at: form == .sessions ? port : nil, [lab.tokens.goodText, form.rawValue], as: ProxiedLab.Names.self
        )
        Self.check(report, form, through: peer, listed: Self.listed[peer] != nil)
        await lab.stop()
    }

    /// The example for Kubernetes, as a configuration file of Traefik.
    private static func example(door: Int, application: String) async throws -> [String: String] {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let example = Interop.packageDirectory.appendingPathComponent("deploy/kubernetes/examples/traefik.yaml")
        let text = try String(contentsOf: example, encoding: .utf8)
            .replacing("bearward.bearward.svc.cluster.local:9192", with: "127.0.0.1:\(door)")
            .replacing("Host(`api.example.com`) && PathPrefix(`/orders`)", with: "PathPrefix(`/`)")
        let file = try folder.write(text, to: "traefik.yaml")
        let converter = try BearwardProcess(
            program: try #require(Interop.pythonWithHypercorn),
            [Interop.script("proxied.py"), "traefik", file.path, application])
        #expect(await converter.exitStatus() == 0, "\(converter.standardError)")
        return ["dynamic.yaml": converter.standardOutput]
    }

    @Test(.slow, .enabled(if: Interop.traefik != nil), arguments: Form.allCases)
    func `no such field passes the example of Traefik for Kubernetes (T501)`(_ form: Form) async throws {
        let lab = try await ProxiedLab.start(.traefik, instead: Self.example)
        let report = try await lab.report("names", [lab.tokens.goodText, form.rawValue], as: ProxiedLab.Names.self)
        Self.check(report, form, through: .traefik)
        await lab.stop()
    }

    @Test(
        .slow,
        .enabled(if: Interop.openssl != nil), arguments: DoorPeer.installed.filter { $0 != .haproxy },
        [Form.fields, .options])
    func `no such field passes a proxy that asks over TLS (T501)`(_ peer: DoorPeer, _ form: Form) async throws {
        let authority = try CertificateAuthority()
        defer { withExtendedLifetime(authority) {} }
        let (door, proxy) = (try authority.issue("door"), try authority.issue("proxy", for: ["DNS:proxy.example"]))
        let tls =
            "tls: {certificate: \(door.certificate.path), key: \(door.key.path), client_ca: \(authority.anchor.path), "
            + "client_certificate: required}"
        let lab = try await ProxiedLab.start(peer, changing: peer.securing(by: authority, as: proxy), doorTLS: tls)
        let report = try await lab.report("names", [lab.tokens.goodText, form.rawValue], as: ProxiedLab.Names.self)
        Self.check(report, form, through: peer, listed: Self.listed[peer] != nil)
        await lab.stop()
    }
}
