import KeySets
import NIOCore
import NIOPosix
import NetworkNames
import Testing

@testable import KeySetFetching

@Suite struct ResolvedAddressesTests {
    private static let classes: [(String, AddressClass?)] = [
        ("127.0.0.1", .loopback), ("169.254.169.254", .linkLocal), ("10.0.0.1", .private), ("8.8.8.8", .global),
        ("0.0.0.0", nil),
    ]

    @Test(arguments: [AddressClass.loopback, .linkLocal, .private, .global])
    func `T368: a learnt address must not be in a narrower network than the issuer's own`(issuer: AddressClass) {
        for (text, found) in Self.classes {
            let refused = ResolvedAddresses(texts: [text]).firstRefused(forIssuer: issuer)
            let isAllowed = found.map { $0 <= issuer } ?? false
            #expect((refused == nil) == isAllowed, "\(text) learnt from an issuer at \(issuer)")
        }
    }

    @Test func `a name is refused if one of its addresses is in a narrower network`() {
        let refused = ResolvedAddresses(texts: ["8.8.8.8", "::ffff:10.0.0.1"]).firstRefused(forIssuer: .global)
        #expect(refused?.text == "::ffff:10.0.0.1")
        #expect(refused?.1 == .private)
    }

    @Test func `a literal address resolves to itself`() async throws {
        let url = try #require(HTTPURL("https://[fd00::1]/keys"))
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let resolved = try await ResolvedAddresses.resolve(url, on: loop, deadline: .now() + .seconds(1))
        #expect(resolved.texts == ["fd00::1"])
        #expect(!resolved.areAllLoopback)
    }

    @Test func `localhost resolves to loopback only`() async throws {
        let url = try #require(HTTPURL("http://localhost/keys"))
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let resolved = try await ResolvedAddresses.resolve(url, on: loop, deadline: .now() + .seconds(5))
        #expect(resolved.areAllLoopback)
    }

    @Test(arguments: [AddressClass.global, .private, .linkLocal])
    func `T369: a URL learnt from a wider network is not fetched from loopback`(issuer: AddressClass) async throws {
        try await KeyServer.running { server in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let client = DocumentClient(SampleDocuments.configuration(.jwkSetURL(server.url())), proxies: .none)
            for host in ["127.0.0.1", "localhost"] {
                let url = try #require(HTTPURL(server.url(host: host)))
                do throws(KeySetFetchFailure) {
                    _ = try await client.get(url, origin: .learnt(issuer: issuer), deadline: .now() + .seconds(5))
                    Issue.record("fetched \(url.text)")
                } catch {
                    guard case .addressRefused(url.text, _, .loopback, issuer) = error else {
                        Issue.record("\(error)")
                        return
                    }
                }
            }
            #expect(server.requests.isEmpty)
        }
    }
}
