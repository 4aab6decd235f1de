import HTTPMessages
import NetworkNames
import Testing

@testable import ReverseProxy

struct ClientAddressTests {
    private func client(peer: String, _ lists: [String]) throws -> String {
        var parser = RequestHeadParser()
        let received = Array(
            ("GET / HTTP/1.1\r\nHost: a\r\n" + lists.map { "X-Forwarded-For: \($0)\r\n" }.joined() + "\r\n").utf8)
        #expect(try parser.parse(received.span) == .complete)
        var settings = GatewaySettings()
        settings.trustedProxies = ["10.0.0.0/8", "2001:db8::/32"].compactMap { AddressRange($0) }
        let configuration = try settings.configuration(for: [])
        return String(decoding: ClientAddress(peer: peer).client(of: parser.head, configuration).text, as: UTF8.self)
    }

    @Test(arguments: [
        ("192.0.2.1", ["1.1.1.1"], "192.0.2.1"), ("10.0.0.1", [], "10.0.0.1"), ("10.0.0.1", ["1.1.1.1"], "1.1.1.1"),
        ("::ffff:10.0.0.1", ["1.1.1.1"], "1.1.1.1"), ("::ffff:192.0.2.1", [], "192.0.2.1"),
        ("10.0.0.1", ["1.1.1.1, 2.2.2.2"], "2.2.2.2"),
        ("10.0.0.1", ["1.1.1.1,\t10.9.9.9"], "1.1.1.1"), ("10.0.0.1", ["1.1.1.1", "10.9.9.9"], "1.1.1.1"),
        ("10.0.0.1", ["1.1.1.1, junk, 10.9.9.9"], "10.9.9.9"), ("10.0.0.1", ["junk"], "10.0.0.1"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", ["1.1.1.1:4711"], "1.1.1.1"), ("10.0.0.1", ["[2001:db9::1]:80"], "2001:db9::1"),
        ("10.0.0.1", ["2001:db9::1"], "2001:db9::1"),
        ("2001:db8::5", ["10.1.1.1, 10.2.2.2"], "10.1.1.1"), ("10.0.0.1", ["fe80::1%eth0"], "10.0.0.1"),
    ])
    func `the client is the last address that is not a trusted proxy (T309)`(
        peer: String, lists: [String], client expected: String
    ) throws {
        #expect(try client(peer: peer, lists) == expected)
    }
}
