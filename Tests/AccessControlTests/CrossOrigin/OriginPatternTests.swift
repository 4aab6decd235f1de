import Testing

@testable import AccessControl

struct OriginPatternTests {
    @Test(
        arguments: [
            ("https://app.example.com", ["https://app.example.com", "HTTPS://App.Example.COM"]),
            ("HTTPS://App.Example.com:443", ["https://app.example.com"]),
            ("http://app.example.com:80", ["http://app.example.com"]),
            ("https://app.example.com:80", ["https://app.example.com:80"]),
            ("http://localhost:5173", ["http://localhost:5173"]),
            ("http://[0:0::1]:5173", ["http://[::1]:5173"]),
            ("http://127.0.0.1", ["http://127.0.0.1"]),
            ("capacitor://localhost", ["capacitor://localhost"]),
            ("https://*.preview.example.com", ["https://a.preview.example.com", "https://A-1_b.preview.Example.com"]),
            ("https://*.preview.example.com:8443", ["https://a.preview.example.com:8443"]),
            // A browser leaves out port 80.
            (
                "http://localhost:*",
                ["http://localhost", "http://localhost:1", "http://localhost:5173", "HTTP://LocalHost:65535"]
            ),
            ("HTTP://127.0.0.1:*", ["http://127.0.0.1", "http://127.0.0.1:3000"]),
        ])
    func `an allowed origin matches the Origin header that browsers send for it`(text: String, origins: [String]) throws
    {
        let pattern = try OriginPattern(text)
        for origin in origins { #expect(Self.matches(pattern, origin), "\(origin)") }
    }

    @Test(
        arguments: [
            (
                "https://app.example.com",
                [
                    "", "null", "https://app.example.com.", "https://app.example.com/", "https://app.example.com:443",
                    "https://app.example.com:8443", "http://app.example.com", "https://app.example.co",
                    "https://app.example.comx",
                    "https://evil-app.example.com", "https://app.example.com.evil.example",
                    "https://app.example.com@evil.example",
                    "https://app-example.com", "https://appXexample.com", " https://app.example.com",
                ]
            ),
            (
                "https://*.preview.example.com",
                [
                    "https://preview.example.com", "https://.preview.example.com", "https://a.b.preview.example.com",
                    "https://evil.example/.preview.example.com", "https://evil.example:1.preview.example.com",
                    "https://a@b.preview.example.com", "https://a/.preview.example.com", "http://a.preview.example.com",
                    "https://a.preview.example.com:8443", "https://a.preview.example.com.",
                    "https://xpreview.example.com",
                    "https://" + String(repeating: "a", count: 64) + ".preview.example.com",
                    "https://*.preview.example.co",
                    "https:///.preview.example.com", "https://%61.preview.example.com",
                    "https://\u{e4}.preview.example.com",
                ]
            ),
            (
                "http://localhost:*",
                [
                    "http://localhost:", "http://localhost:123456", "http://localhost:*", "http://localhost:5173/",
                    "http://localhost:51a3", "http://localhost:+80", "http://localhost: 80", "http://localhost.",
                    "http://localhost5173", "http://localhost.evil.example", "http://localhost.evil.example:5173",
                    "http://localhost:5173.evil.example", "http://localhost:5173@evil.example",
                    "http://localhost:80:80", "https://localhost:5173", "http://127.0.0.1:5173", "http://[::1]:5173",
                    "http://xlocalhost:5173", "http://localhos", "null", "",
                ]
            ),
            (
                "http://127.0.0.1:*",
                [
                    "http://localhost:5173", "http://127.0.0.10:80", "http://127.0.0.1.evil.example:80",
                    "http://127.1:80",
                ]
            ),
        ])
    func `an allowed origin matches no similar origin`(text: String, origins: [String]) throws {
        let pattern = try OriginPattern(text)
        for origin in origins { #expect(!Self.matches(pattern, origin), "\(origin)") }
    }

    @Test(
        arguments: [
            ("null", .null), ("", .missingScheme), ("app.example.com", .missingScheme),
            ("//app.example.com", .missingScheme),
            ("1x://a", .missingScheme), ("https:/app.example.com", .missingScheme),
            ("https://app.example.com/", .notAlone), ("https://app.example.com/shop", .notAlone),
            ("https://a?b", .notAlone),
            ("https://a#b", .notAlone), ("https://user@a", .notAlone),
            ("https://", .host(.missingHost)), ("https://a..b", .host(.invalidHost("a..b"))),
            ("https://a b", .host(.invalidHost("a b"))),
            ("https://\u{e4}.example", .host(.nonASCIIHost("\u{e4}.example"))),
            ("https://127.1", .host(.invalidAddress("127.1"))),
            ("https://a.*.example", .host(.wildcardHost("a.*.example"))),
            ("https://a*.example", .host(.wildcardHost("a*.example"))),
            ("https://*.*.example", .host(.wildcardHost("*.example"))), ("https://*", .host(.wildcardHost("*"))),
            ("https://a:", .port("")), ("https://a:0", .port("0")), ("https://a:65536", .port("65536")),
            ("https://a:*", .wildcardPort), ("https://localhost:*", .wildcardPort), ("http://a:*", .wildcardPort),
            ("http://[::1]:*", .wildcardPort), ("http://*.localhost:*", .wildcardPort), ("http://:*", .wildcardPort),
            ("http://localhost.:*", .wildcardPort), ("http://127.1:*", .wildcardPort),
            ("http://localhost:8*", .port("8*")), ("http://user@localhost:*", .notAlone),
            ("http://localhost:*/", .notAlone),
            ("http://*.example.com", .wildcardWithoutTLS), ("app://*.example.com", .wildcardWithoutTLS),
        ] as [(String, OriginRejection)])
    func `text that is no origin is refused with its cause`(text: String, rejection: OriginRejection) {
        #expect(throws: rejection) { try OriginPattern(text) }
    }

    @Test func `a star allows every origin except null`() throws {
        let listed = AllowedOrigins.listed([
            try OriginPattern("https://a.example"), try OriginPattern("https://*.b.example"),
        ])
        for (origin, any, some) in [
            ("https://a.example", true, true), ("https://x.b.example", true, true), ("https://c.example", true, false),
            ("null", false, false), ("NULL", false, false),
        ] {
            let bytes = Array(origin.utf8)
            let found = (any: AllowedOrigins.any.contain(bytes.span), some: listed.contain(bytes.span))
            #expect(found == (any, some), "\(origin)")
        }
    }

    private static func matches(_ pattern: OriginPattern, _ origin: String) -> Bool {
        let bytes = Array(origin.utf8)
        return pattern.matches(bytes.span)
    }
}
