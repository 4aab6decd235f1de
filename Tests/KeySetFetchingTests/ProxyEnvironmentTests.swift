import KeySetFetching
import NetworkNames
import Testing

@Suite struct ProxyEnvironmentTests {
    private func proxy(for url: String, _ environment: [String: String]) throws -> ProxyEnvironment.Proxy? {
        try ProxyEnvironment(environment: environment).proxy(for: try #require(HTTPURL(url)))
    }

    @Test(arguments: [
        ("http://proxy.example:3128", "proxy.example", 3128), ("http://proxy.example", "proxy.example", 80),
        ("proxy.example:8080/", "proxy.example", 8080),
        ("HTTP://[::1]:3128", "::1", 3128), ("http://10.0.0.1:1", "10.0.0.1", 1),
    ])
    func `https goes through the proxy named in HTTPS_PROXY`(value: String, host: String, port: Int) throws {
        let proxy = try #require(try proxy(for: "https://id.example/keys", ["HTTPS_PROXY": value]))
        #expect(proxy.host == host)
        #expect(proxy.port == port)
        #expect(proxy.credentials == nil)
    }

    @Test(arguments: [
        ("http://u:p@proxy.example", "u", "p"), ("http://u@proxy.example", "u", ""),
        ("http://u%40x:p%3A%2F@proxy.example", "u@x", "p:/"),
        ("http://u:p:q@proxy.example", "u", "p:q"), ("http://u@x:p@proxy.example", "u@x", "p"),
    ])
    func `proxy credentials are read from the userinfo of the proxy URL`(
        value: String, username: String, password: String
    ) throws {
        let proxy = try #require(try proxy(for: "https://id.example", ["HTTPS_PROXY": value]))
        #expect(proxy.host == "proxy.example")
        #expect(proxy.credentials?.username == username)
        #expect(proxy.credentials?.password == password)
    }

    @Test func `the lower-case variable wins, and an empty value counts as unset`() throws {
        #expect(
            try proxy(for: "https://id.example", ["HTTPS_PROXY": "upper", "https_proxy": "lower"])?.host == "lower")
        #expect(try proxy(for: "https://id.example", ["HTTPS_PROXY": "upper", "https_proxy": ""])?.host == "upper")
        #expect(try proxy(for: "https://id.example", ["HTTPS_PROXY": ""]) == nil)
        #expect(try proxy(for: "https://id.example", [:]) == nil)
    }

    @Test(arguments: [
        "http://id.example", "https://localhost", "https://127.0.0.1", "https://[::1]:8443", "https://a.localhost",
    ])
    func `plain http and loopback never go through a proxy`(url: String) throws {
        #expect(try proxy(for: url, ["HTTPS_PROXY": "http://proxy.example"]) == nil)
    }

    @Test(arguments: [
        ("*", true), ("id.example", true), ("example", true), (".example", true), ("*.example", true),
        ("ID.EXAMPLE", true),
        ("a,id.example", true),
        ("a, id.example ,b", true), ("id.example:443", true), ("id.example:8443", false), ("d.example", false),
        ("x.id.example", false),
        ("", false),
        (".", false), ("10.0.0.0/8", false), (",,", false),
    ])
    func `a name in NO_PROXY covers itself and its subdomains`(list: String, isException: Bool) throws {
        let proxy = try proxy(for: "https://id.example", ["HTTPS_PROXY": "proxy", "NO_PROXY": list])
        #expect((proxy == nil) == isException)
    }

    @Test(arguments: [
        ("10.0.0.0/8", true), ("10.1.2.3", true), ("10.1.2.3/32", true), ("10.1.2.2/31", true), ("10.1.2.4/31", false),
        ("0.0.0.0/0", true),
        ("11.0.0.0/8", false), ("10.1.2.3/33", false), ("::/0", false),
    ])
    func `a network in NO_PROXY covers literal addresses`(list: String, isException: Bool) throws {
        let proxy = try proxy(for: "https://10.1.2.3:8443", ["HTTPS_PROXY": "proxy", "no_proxy": list])
        #expect((proxy == nil) == isException)
    }

    @Test func `an IPv6 network in NO_PROXY covers literal addresses`() throws {
        #expect(try proxy(for: "https://[fd00::1]", ["HTTPS_PROXY": "proxy", "NO_PROXY": "fd00::/8"]) == nil)
        #expect(try proxy(for: "https://[fd00::1]", ["HTTPS_PROXY": "proxy", "NO_PROXY": "[fd00::1]"]) == nil)
        #expect(try proxy(for: "https://[fe00::1]", ["HTTPS_PROXY": "proxy", "NO_PROXY": "fd00::/8"]) != nil)
    }

    @Test(arguments: [
        ("https://proxy.example", "only http:// proxies are supported"),
        ("socks5://proxy.example", "only http:// proxies are supported"),
        ("http://", "it is not a URL"), ("http://proxy.example/path", "it is not a URL"),
        ("http://proxy.example:x", "it is not a URL"),
        ("http://%zz@proxy.example", "its user name is not percent-encoded UTF-8"),
        ("http://u:%ff@proxy.example", "its password is not percent-encoded UTF-8"),
    ])
    func `an invalid proxy setting is an error, and the proxy is never bypassed`(value: String, reason: String) {
        #expect(throws: KeySetFetchFailure.proxyInvalid(reason)) {
            try proxy(for: "https://id.example", ["HTTPS_PROXY": value])
        }
    }
}
