import NetworkNames
import Testing

@Suite struct HTTPURLTests {
    @Test func `the parts of a URL are kept as written, and the host in lower case`() throws {
        let url = try #require(HTTPURL("https://ID.Example:8443/keys/a%20b?x=1"))
        #expect(url.scheme == .https)
        #expect(url.host == "id.example")
        #expect(url.port == 8443)
        #expect(url.authority == "ID.Example:8443")
        #expect(url.target == "/keys/a%20b?x=1")
        #expect(url.text == "https://ID.Example:8443/keys/a%20b?x=1")
    }

    @Test(arguments: [
        ("http://a", "a", 80, ""), ("https://a", "a", 443, ""), ("HTTPS://a/", "a", 443, "/"),
        ("https://a?b", "a", 443, "?b"),
        ("http://127.0.0.1:3001/x", "127.0.0.1", 3001, "/x"), ("https://[::1]/k", "::1", 443, "/k"),
        ("https://[FE80::1]:8/k", "fe80::1", 8, "/k"),
        ("https://a_b.example/@x", "a_b.example", 443, "/@x"), ("http://a:0080/", "a", 80, "/"),
        ("http://a:65535", "a", 65535, ""),
        // RFC 3986 §1.1.2 and §3.2.2.
        ("http://www.ietf.org/rfc/rfc2396.txt", "www.ietf.org", 80, "/rfc/rfc2396.txt"),
        ("http://[2001:db8::7]/c=GB?objectClass?one", "2001:db8::7", 80, "/c=GB?objectClass?one"),
        ("http://[::FFFF:129.144.52.38]:80/index.html", "::ffff:129.144.52.38", 80, "/index.html"),
    ])
    func `the host, port and target of a URL are read`(text: String, host: String, port: Int, target: String) throws {
        let url = try #require(HTTPURL(text))
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.target == target)
    }

    @Test(arguments: [
        "", "https", "https:", "https:/a", "https://", "https:///a", "https://:443/", "ftp://a/", "file:///etc/passwd",
        "//a/b", "/a",
        "https://user@a/", "https://user:pass@a/", "https://a@b/", "https://a/#f", "https://a/b#", "https://a:0/",
        "https://a:65536/",
        "https://a:/",
        "https://a:1:2/", "https://a:-1/", "https://a: 1/", "https://a b/", "https://a/b c", "https://a\\b/",
        "https://a/\\b",
        "https://[::1/", "https://::1/",
        "https://[::1]x/", "https://[a]/", "https://[127.0.0.1]/", "https://a%2eb/", "https://\u{E4}.example/",
        "https://a/\u{E4}",
        "https://a/\u{0}",
        "https://a/\r\nHost: b", "https://a/{x}", "https://a/<x>", "https://a/\"", "https://a/|", "https://a/^",
        "https://a/`",
        "https://a,b/",
        "https://a:\u{FF18}0/",
    ])
    func `text that is no http or https URL is refused`(text: String) {
        #expect(HTTPURL(text) == nil)
    }

    @Test(arguments: [
        ("http://localhost", true), ("http://LOCALHOST:8080/x", true), ("http://a.localhost", true),
        ("http://127.0.0.1", true),
        ("http://127.9.9.9", true),
        ("http://[::1]", true), ("http://[::ffff:127.0.0.1]", true), ("http://localhost.example", false),
        ("http://notlocalhost", false),
        ("http://10.0.0.1", false), ("http://127.1", false), ("http://0.0.0.0", false),
    ])
    func `a loopback host is recognised by its spelling`(text: String, expected: Bool) throws {
        #expect(try #require(HTTPURL(text)).namesLoopback == expected)
    }
}
