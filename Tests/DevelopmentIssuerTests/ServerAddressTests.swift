import DevelopmentIssuer
import Testing

struct ServerAddressTests {
    @Test(arguments: [
        ("127.0.0.1:9100", "127.0.0.1", 9100), ("localhost:0", "localhost", 0), ("[::1]:65535", "::1", 65535),
    ])
    func `a host and a port are read and written back`(text: String, host: String, port: Int) throws {
        let address = try #require(ServerAddress(text))
        #expect(address == ServerAddress(host: host, port: port))
        #expect(address.description == text)
    }

    @Test(arguments: ["", "9100", ":9100", "a:", "a:-1", "a:65536", "::1:9100", "[::1]", "[a]:1", "[]:1", "a:1 "])
    func `text that is no host and port is refused`(text: String) {
        #expect(ServerAddress(text) == nil)
    }
}
