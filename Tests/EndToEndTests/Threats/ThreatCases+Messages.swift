extension ThreatCases {
    /// Cases of HTTP/1.1 message framing, each with a good token.
    static let framing: [ThreatCase] =
        [
            .line("T201 a length, then chunked", "Content-Length: 5\r\nTransfer-Encoding: chunked", .badRequest),
            .line("T201 chunked, then a length", "Transfer-Encoding: chunked\r\nContent-Length: 5", .badRequest),
            .line("T202 two lengths", "Content-Length: 5\r\nContent-Length: 6", .badRequest),
            .line("T202 the same length twice", "Content-Length: 5\r\nContent-Length: 5", .badRequest),
            .line("T202 a list of lengths", "Content-Length: 5, 5", .badRequest),
            .raw(
                "T206 chunked in HTTP/1.0",
                "POST /orders HTTP/1.0\r\nHost: lab.example\r\nAuthorization: Bearer GOOD\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                .badRequest),
            .line("T207 an unknown coding", "Transfer-Encoding: gzip, chunked", .ending(501, "coding_not_supported")),
            .line("T207 two fields", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .badRequest),
            .line("T209 an underscore", "Transfer_Encoding: chunked", .badRequest),
            .line("T216 a folded field", "X: a\r\n b", .badRequest),
            .line("T217 a space before the colon", "X : a", .badRequest),
            .line("T217 no colon", "X", .badRequest),
            .line("T217 no name", ": x", .badRequest),
            .line("T256 a byte of 0x80 in a value that is read", "X-Request-ID: \u{80}", .badRequest),
            .raw("T213 a bare line feed", "GET /orders HTTP/1.1\nHost: lab.example\n\n", .badRequest),
            .raw(
                "T214 a bare carriage return", "GET /orders HTTP/1.1\r\nHost: lab.example\r\nX: a\rb\r\n\r\n",
                .badRequest),
            .raw(
                "T219 a blank line first",
                "\r\nGET /orders HTTP/1.1\r\nHost: lab.example\r\nAuthorization: Bearer GOOD\r\n\r\n", .forwarded
            ),
            .raw(
                "T219 two blank lines first", "\r\n\r\nGET /orders HTTP/1.1\r\nHost: lab.example\r\n\r\n", .badRequest),
            .raw(
                "T227 a chunk size in words", chunked("0x5\r\nhello\r\n0\r\n\r\n"), .badRequest),
            .raw("T227 a chunk size with a sign", chunked("+5\r\nhello\r\n0\r\n\r\n"), .badRequest),
            .raw("T227 a chunk size beyond 64 bits", chunked("10000000000000005\r\nhello\r\n0\r\n\r\n"), .badRequest),
            .raw("T229 no line end behind the data", chunked("5\r\nhelloXX0\r\n\r\n"), .badRequest),
            .raw(
                "T230 framing fields in the trailer",
                chunked("5\r\nhello\r\n0\r\nContent-Length: 9\r\nHost: x\r\n\r\n"), .forwarded),
            .raw("T232 a request in the trailer", chunked("0\r\nX:POST / HTTP/1.1\r\n\r\n"), .forwarded),
            .raw(
                "T235 a body longer than its length",
                "POST /orders HTTP/1.1\r\nHost: lab.example\r\nAuthorization: Bearer GOOD\r\nContent-Length: 5\r\n\r\nhello world\r\n\r\n",
                .forwarded,
                .badRequest),
            .raw(
                "T238 a good one, a bad one, a good one",
                ["GOOD", "a.b.c", "GOOD"].map {
                    "GET /orders HTTP/1.1\r\nHost: lab.example\r\nAuthorization: Bearer \($0)\r\n\r\n"
                }
                .joined(),
                .forwarded, .invalidToken("malformed"), .forwarded),
            .line("T240 close, and a tab", "Connection: close\t\r\nContent-Length: 0", .forwardedLast),
            .line("T241 keep-alive and close", "Connection: keep-alive, close\r\nContent-Length: 0", .forwardedLast),
            .line(
                "T242 another protocol", "Connection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 0", .forwarded),
            .line(
                "T243 HTTP/2 over plain text",
                "Connection: upgrade, http2-settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\nContent-Length: 0",
                .forwarded),
            .line(
                "T249 codings that frame nothing", "Content-Encoding: chunked\r\nTE: chunked\r\nContent-Length: 0",
                .forwarded),
            .line(
                "T250 fields of one hop", "Proxy-Connection: keep-alive\r\nKeep-Alive: timeout=5\r\nContent-Length: 0",
                .forwarded),
        ]
        + ["+5", "-5", "-0", "0x5", "5_0", "5 0", "5;", "", "05", "010", "9223372036854775808", "18446744073709551621"]
        .map {
            .line("T203 a length of '\($0)'", "Content-Length: \($0)", .badRequest)
        }
        + [
            "xchunked", "chunked;q=1", "\"chunked\"", "chunk", ",chunked", "chunked,", "chunked, chunked",
            "\u{0B}chunked", "chunked\u{0C}",
        ]
        .map {
            .line("T208 a coding of \($0.debugDescription)", "Transfer-Encoding: \($0)", .badRequest)
        }

    /// A request with a good token and this chunked body.
    private static func chunked(_ body: String) -> String {
        "POST /orders HTTP/1.1\r\nHost: lab.example\r\nAuthorization: Bearer GOOD\r\nTransfer-Encoding: chunked\r\n\r\n"
            + body
    }

    /// Cases of request lines, versions and authorities.
    static let requestLines: [ThreatCase] =
        [
            .fields("T220 two spaces", "GET  /orders HTTP/1.1", [], .badRequest),
            .fields("T220 a tab", "GET\t/orders HTTP/1.1", [], .badRequest),
            .fields("T220 no version", "GET /orders", [], .badRequest),
            .fields("T220 four parts", "GET /orders x HTTP/1.1", [], .badRequest),
            .fields("T221 HTTP/1.2", "GET /orders HTTP/1.2", [], .ending(505, "version_not_supported")),
            .fields("T221 HTTP/2.0", "GET /orders HTTP/2.0", [], .ending(505, "version_not_supported")),
            .fields("T221 in lower case", "GET /orders http/1.1", [], .badRequest),
            .fields("T221 another protocol", "GET /orders RTSP/1.0", [], .badRequest),
            .fields("T221 HTTP/1.0", "GET /orders HTTP/1.0", ["Authorization: Bearer GOOD"], .forwardedLast),
            .raw("T222 no Host", "GET /orders HTTP/1.1\r\nAuthorization: Bearer GOOD\r\n\r\n", .badRequest),
            .fields("T222 two Hosts", ["Host: lab.example", "Authorization: Bearer GOOD"], .badRequest),
            .fields(
                "T223 a target that contradicts Host", "GET http://other.example/orders HTTP/1.1",
                ["Authorization: Bearer GOOD"],
                .badRequest),
            .fields(
                "T224 a target that agrees with Host", "GET http://lab.example/orders HTTP/1.1",
                ["Authorization: Bearer GOOD"], .forwarded),
            .fields("T225 an asterisk with GET", "GET * HTTP/1.1", ["Authorization: Bearer GOOD"], .badRequest),
            .fields(
                "T225 an authority with GET", "GET lab.example:443 HTTP/1.1", ["Authorization: Bearer GOOD"],
                .badRequest),
            .raw(
                "T245 the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .ending(505, "version_not_supported")),
            .raw("T246 the hello of TLS", bytes: [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00], .badRequest),
            .raw("T246 the banner of SSH", "SSH-2.0-OpenSSH_9.2\r\n", .badRequest),
            .raw("T246 a command of Redis", "*1\r\n$4\r\nPING\r\n", .badRequest),
            .raw(
                "T251 the PROXY protocol",
                "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\nHost: lab.example\r\n\r\n", .badRequest),
        ]
        + ["", "a, b", "a b", "u@a", "a/b", "a\\b", "a%00", "a:0", "a:65536", "a:", "a:80:80"].map {
            .raw(
                "T222 Host '\($0)'", "GET /orders HTTP/1.1\r\nHost: \($0)\r\nAuthorization: Bearer GOOD\r\n\r\n",
                .badRequest)
        }

    /// Cases of paths, which select the resource and rule.
    static let paths: [ThreatCase] =
        [
            .target("T261 the path", "/orders", .forwarded),
            .target("T261 with a slash behind it", "/orders/", .forwarded),
            .target("T261 below it", "/orders/7", .forwarded),
            .target("T261 a longer segment", "/ordersX", .noRule),
            .target("T267 an escaped letter", "/%6frders", .forwarded),
            .target("T267 an escaped letter of the stricter rule", "/orders/%61dmin", .insufficientScope),
            .target("T268 another case", "/Orders", .noRule),
            .target("T268 another case of the stricter rule", "/orders/Admin", .forwarded),
            .target("T269 a dot behind it", "/orders.", .noRule),
            .target("T269 an escaped space behind it", "/orders%20", .noRule),
            .target("T270 a path in the query", "/orders?x=/../admin", .forwarded),
            .target("T270 an empty query of the stricter rule", "/orders/admin?", .insufficientScope),
            .target("T226 what browsers send as it is", "/orders/|{}^`\"<>[]?|{}^`\"<>[]\\", .forwarded),
            .target("T226 the same below the stricter rule", "/orders/admin?|", .insufficientScope),
            .target("T273 raw UTF-8", "/orders/ü?ü", .forwarded),
            .target("T273 a raw wide letter", "/\u{FF4F}rders", .noRule),
            .target("T274 a raw wide slash", "/orders\u{FF0F}admin", .noRule),
            .target("T274 a wide slash", "/orders%ef%bc%8fadmin", .noRule),
            .target(
                "T275 a target that is too long", "/orders/" + String(repeating: "a", count: 8185),
                .ending(414, "target_too_long")),
            .target("T275 10,000 slashes", String(repeating: "/", count: 10_000), .ending(414, "target_too_long")),
            .raw("T280 the host in upper case", host("LAB.example"), .forwarded),
            .raw("T280 a dot behind the host", host("lab.example."), .forwarded),
            .raw("T280 a port", host("lab.example:8443"), .forwarded),
            .raw("T283 another host", host("else.example"), .noResource),
            .fields(
                "T282 X-Forwarded-Host", ["X-Forwarded-Host: else.example", "Authorization: Bearer GOOD"], .forwarded),
            .fields(
                "T282 Forwarded", "GET /orders/admin HTTP/1.1",
                ["Forwarded: host=else.example", "Authorization: Bearer GOOD"],
                .insufficientScope),
        ]
        + [
            "//orders", "/orders//admin", "/./orders", "/orders/./admin", "/public/../orders", "/orders/x/../admin",
            "/..", "/../orders",
            "/public/%2e%2e/orders", "/public/%2E./orders", "/public/.%2e/orders", "/public/%252e%252e/orders",
            "/public/%u002e/orders",
            "/public/%c0%ae/orders", "/public/..%00/", "/public/..;/orders", "/public;x=/../orders", "/orders;a=b",
            "/orders;/admin",
            "/orders%3Badmin",
            "/orders%2fadmin", "/orders%2Fadmin", "/orders%5cadmin", "/orders\\admin", "/orders%00", "/orders%0a",
            "/orders%09",
            "/orders/.",
            "/orders#/public", "/public#/orders", "/orders/%", "/orders/%2", "/orders/%zz", "/orders/%2g",
            "/orders/é\\",
        ].map { .target("T263 \($0)", $0, .badRequest) }

    private static func host(_ host: String) -> String {
        "GET /orders HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer GOOD\r\n\r\n"
    }
}
