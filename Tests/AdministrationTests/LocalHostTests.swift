import Testing

@testable import Administration

/// Host names used by clients of the admin listener.
struct LocalHostTests {
    @Test(arguments: [
        "localhost", "LocalHost:9901", "127.0.0.1", "127.0.0.1:9901", "[::1]", "[::1]:9901", "10.0.0.7:1", "", nil,
    ])
    func `an address, localhost and a missing host are not foreign names`(_ host: String?) {
        for peer in ["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.9.9.9", "10.0.0.7", nil] {
            #expect(!LocalHost.isForeignName(host, from: peer), "\(peer ?? "nil")")
        }
    }

    @Test(arguments: [
        "evil.example", "evil.example:9901", "localhost.evil.example", "127.0.0.1.evil.example:9901", "localhost.",
        "127.1", "2130706433",
        "127.0.0.256", "0x7f.0.0.1", "::1", "a",
    ])
    func `any other host name is foreign for loopback peers only, where a browser may be tricked`(_ host: String) {
        for peer in ["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.9.9.9"] {
            #expect(LocalHost.isForeignName(host, from: peer), "\(peer)")
        }
        for peer in ["10.0.0.7", "203.0.113.9", "2001:4860::1", "::ffff:10.0.0.7", "", nil] {
            #expect(!LocalHost.isForeignName(host, from: peer), "\(peer ?? "nil")")
        }
    }
}
