import NetworkNames
import ProxySettings
import ReverseProxy
import TestSupport
import Testing
import TransportSecurity

@testable import ConfigurationFile
@testable import GatewayAssembly

@Suite struct ServedListenersTests {
    private let sockets: [ListeningSocket]
    private let termination: TLSTermination

    private static let files = ConfiguredService.secure(
        ConfiguredTermination(
            identities: [IdentityFiles(certificate: "a.pem", key: "a.key")], clientCAFile: nil,
            requiresClientCertificate: false,
            floor: .tls12, protocols: .both))

    init() throws {
        sockets = try (0..<3).map { _ in try ListeningSocket(binding: "127.0.0.1:0") }
        let identity = try TLSIdentity(
            certificate: Array(SampleCertificates.localhost.utf8), key: Array(SampleCertificates.privateKey.utf8))
        termination = TLSTermination(try ListenerSecurity(identities: [identity], protocols: ["h2", "http/1.1"]))
    }

    /// A TLS listener between two others, at these addresses.
    private func served(at addresses: [String]) throws -> [ServedListener] {
        let services: [(ConfiguredService, ListenerService)] = [
            (.plain(.http1), .plain(.http1)), (Self.files, .secure(termination)),
            (.redirect(HTTPSRedirect(port: 8443)), .redirect(HTTPSRedirect(port: 8443))),
        ]
        return try zip(addresses, services).map { address, services in
            let address = try #require(ListenAddress(address))
            return ServedListener(
                configured: ConfiguredListener(address: address, service: services.0), service: services.1)
        }
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
    func `an inherited socket is served as configured for its address, in whatever order sockets come`(order: [Int])
        throws
    {
        defer { sockets.forEach { $0.close() } }
        let listeners = try ServedListeners.listeners(try served(at: sockets.map(\.address)), order.map { sockets[$0] })
        for (listener, index) in zip(listeners, order) {
            #expect(listener.socket == sockets[index])
            switch listener.service {
            case .plain(let protocols): #expect(index == 0 && protocols == .http1)
            case .secure(let termination): #expect(index == 1 && termination === self.termination)
            case .redirect(let redirect): #expect(index == 2 && redirect.port == 8443)
            }
        }
    }

    @Test func `sockets bound to port 0 are served in the order of the file`() throws {
        defer { sockets.forEach { $0.close() } }
        let listeners = try ServedListeners.listeners(
            try served(at: ["127.0.0.1:0", "127.0.0.2:0", "127.0.0.3:0"]), sockets)
        try #require(listeners.count == 3)
        guard case .secure(let termination) = listeners[1].service else { throw NotSecure() }
        #expect(termination === self.termination)
    }

    @Test func `a socket that matches listeners with and without TLS is refused`() throws {
        defer { sockets.forEach { $0.close() } }
        let served = try served(at: ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"])
        #expect {
            try ServedListeners.listeners(served, sockets)
        } throws: { error in
            guard case .gateway(let cause)? = error as? StartFailure else { return false }
            return cause
                == "listen: it is unclear whether the inherited socket \(sockets[0].address) is for TLS; write its port"
        }
    }

    @Test func `a socket that matches listeners for proxies and for clients is refused`() throws {
        defer { sockets.forEach { $0.close() } }
        let proxies = try [#require(AddressRange("127.0.0.2"))]
        let served = try [("127.0.0.1:1", proxies), ("127.0.0.1:2", nil)].map { address, proxies in
            let address = try #require(ListenAddress(address))
            return ServedListener(
                configured: ConfiguredListener(address: address, proxies: proxies), service: .plain(.http1))
        }
        #expect {
            try ServedListeners.listeners(served, [sockets[0]])
        } throws: { error in
            guard case .gateway(let cause)? = error as? StartFailure else { return false }
            return cause
                == "listen: it is unclear whether the inherited socket \(sockets[0].address) expects a PROXY header; write its port"
        }
        let first = try #require(served.first)
        #expect(try ServedListeners.listeners([first], [sockets[0]]).map(\.proxies) == [proxies])
    }

    private struct NotSecure: Error {}
}
