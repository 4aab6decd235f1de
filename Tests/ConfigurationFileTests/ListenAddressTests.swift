import Testing

@testable import ConfigurationFile

struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:443", "::1", 443), ("LocalHost:0", "localhost", 0),
        ("a-b.example:65535", "a-b.example", 65_535),
    ])
    func `host and port of a listen address are read`(_ text: String, _ host: String, _ port: Int) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test(arguments: [
        "", ":80", "a", "a:", "a:b", "a:-1", "a:65536", "a:080", "a:+1", "::1:80", "[::1]", "[::1]80", "[1.2.3.4]:80",
        "[x]:80", "a b:80",
        "a/b:80",
        "1.2.3:80", "256.0.0.1:80", "*:80", "http://a:80", "[::1%lo]:80",
    ])
    func `text that is no listen address is refused`(_ text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.9.9.9:1", true), ("[::1]:1", true), ("localhost:1", true), ("0.0.0.0:1", false),
        ("[::]:1", false),
        ("10.0.0.1:1", false), ("host:1", false),
    ])
    func `loopback addresses are recognised`(_ text: String, _ isLoopback: Bool) throws {
        #expect(try #require(ListenAddress(text)).isLoopback == isLoopback)
    }

    @Test(arguments: [
        ("a:1", "a:1", true), ("a:1", "a:2", false), ("a:1", "b:1", false), ("0.0.0.0:1", "10.0.0.1:1", true),
        ("[::]:1", "b:1", true),
        ("[::1]:1", "[0:0::1]:1", true), ("localhost:1", "[::1]:1", true), ("a:0", "a:0", false),
    ])
    func `listen addresses overlap if they cannot be bound at the same time`(
        _ left: String, _ right: String, _ overlap: Bool
    )
        throws
    {
        let (left, right) = (try #require(ListenAddress(left)), try #require(ListenAddress(right)))
        #expect(left.overlaps(right) == overlap)
        #expect(right.overlaps(left) == overlap)
    }
}
