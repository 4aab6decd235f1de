import HTTPMessages

/// The requests of the threat cases, each with its exact verdict.
enum RequestCases {
    static let all = framing + lines + requestLines + authorities + connections

    /// Every rejection of a head.
    static let rejections = FieldRejection.allCases.map { RequestHeadRejection.field($0) } + ownRejections

    private static let ownRejections: [RequestHeadRejection] = [
        .targetTooLong, .repeatedBlankLine, .malformedRequestLine, .invalidMethod, .miscasedMethod, .methodNotAllowed,
        .malformedVersion, .versionNotSupported, .queryNotUTF8, .fragmentInTarget, .invalidTargetForm,
        .asteriskWithoutOptions, .invalidTargetAuthority, .missingHost, .repeatedHost, .invalidHost,
        .hostContradictsTarget, .expectationFailed,
    ]

    /// Makes the compiler require that a new rejection is added to the list above.
    static func isListed(_ rejection: RequestHeadRejection) -> Bool {
        switch rejection {
        case .field, .targetTooLong, .repeatedBlankLine, .malformedRequestLine, .invalidMethod, .miscasedMethod,
            .methodNotAllowed, .malformedVersion, .versionNotSupported, .queryNotUTF8, .fragmentInTarget,
            .invalidTargetForm, .asteriskWithoutOptions, .invalidTargetAuthority, .missingHost, .repeatedHost,
            .invalidHost, .hostContradictsTarget, .expectationFailed:
            rejections.contains(rejection)
        }
    }

    static let framing: [RequestCase] = [
        .line(
            "T201 length, then chunked", "Content-Length: 5\r\nTransfer-Encoding: chunked",
            .field(.transferEncodingWithContentLength)),
        .line(
            "T201 chunked, then length", "Transfer-Encoding: chunked\r\nContent-Length: 5",
            .field(.transferEncodingWithContentLength)),
        .line("T202 two lengths that differ", "Content-Length: 5\r\nContent-Length: 6", .field(.repeatedContentLength)),
        .line("T202 two equal lengths", "Content-Length: 5\r\ncontent-length: 5", .field(.repeatedContentLength)),
        .line("T202 a list of equal lengths", "Content-Length: 5, 5", .field(.malformedContentLength)),
        .line("T202 a list of lengths", "Content-Length: 5,6", .field(.malformedContentLength)),
        .line("T203 +5", "Content-Length: +5", .field(.malformedContentLength)),
        .line("T203 -5", "Content-Length: -5", .field(.malformedContentLength)),
        .line("T203 -0", "Content-Length: -0", .field(.malformedContentLength)),
        .line("T203 0x5", "Content-Length: 0x5", .field(.malformedContentLength)),
        .line("T203 5_0", "Content-Length: 5_0", .field(.malformedContentLength)),
        .line("T203 5 0", "Content-Length: 5 0", .field(.malformedContentLength)),
        .line("T203 5;", "Content-Length: 5;", .field(.malformedContentLength)),
        .line("T203 an Arabic five", "Content-Length: ٥", .field(.nonASCIIByte)),
        .line("T203 empty", "Content-Length:", .field(.malformedContentLength)),
        .line("T203 a space", "Content-Length:  ", .field(.malformedContentLength)),
        .line("T203 2^63 - 1", "Content-Length: 9223372036854775807", nil),
        .line("T203 2^63", "Content-Length: 9223372036854775808", .field(.contentLengthTooLarge)),
        .line("T203 2^64", "Content-Length: 18446744073709551616", .field(.contentLengthTooLarge)),
        .line("T203 2^64 + 5", "Content-Length: 18446744073709551621", .field(.contentLengthTooLarge)),
        .line("T203 30 digits", "Content-Length: 111111111122222222223333333333", .field(.contentLengthTooLarge)),
        .line("T204 05", "Content-Length: 05", .field(.malformedContentLength)),
        .line("T204 00", "Content-Length: 00", .field(.malformedContentLength)),
        .line("T204 010", "Content-Length: 010", .field(.malformedContentLength)),
        .line("a length of zero", "Content-Length: 0", nil),
        .line("a length within white space", "Content-Length: \t 5 \t", nil),
        RequestCase(
            "T205 length and chunked in HTTP/1.0",
            "POST / HTTP/1.0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
            .field(.transferEncodingWithContentLength)),
        RequestCase(
            "T206 chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
            .field(.transferEncodingInHTTP10)),
        .line("T207 chunked, identity", "Transfer-Encoding: chunked, identity", .field(.transferCodingNotSupported)),
        .line("T207 identity", "Transfer-Encoding: identity", .field(.transferCodingNotSupported)),
        .line("T207 gzip, chunked", "Transfer-Encoding: gzip, chunked", .field(.transferCodingNotSupported)),
        .line("T207 cow, chunked", "Transfer-Encoding: cow, chunked", .field(.transferCodingNotSupported)),
        .line("T207 ,chunked", "Transfer-Encoding: ,chunked", .field(.malformedTransferEncoding)),
        .line("T207 chunked,", "Transfer-Encoding: chunked,", .field(.malformedTransferEncoding)),
        .line("T207 chunked, chunked", "Transfer-Encoding: chunked, chunked", .field(.malformedTransferEncoding)),
        .line(
            "T207 two fields", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            .field(.repeatedTransferEncoding)),
        .line(
            "T207 two fields, one unknown", "Transfer-Encoding: cow\r\nTransfer-Encoding: chunked",
            .field(.repeatedTransferEncoding)),
        .line("T207 empty", "Transfer-Encoding:", .field(.malformedTransferEncoding)),
        .line("T208 xchunked", "Transfer-Encoding: xchunked", .field(.malformedTransferEncoding)),
        .line("T208 chunked;q=1", "Transfer-Encoding: chunked;q=1", .field(.malformedTransferEncoding)),
        .line("T208 quoted", "Transfer-Encoding: \"chunked\"", .field(.malformedTransferEncoding)),
        .line("T208 chunk", "Transfer-Encoding: chunk", .field(.malformedTransferEncoding)),
        .line("T208 a Kelvin sign", "Transfer-Encoding: chun\u{212A}ed", .field(.nonASCIIByte)),
        .line("T208 VT before", "Transfer-Encoding: \u{0B}chunked", .field(.controlByte)),
        .line("T208 FF after", "Transfer-Encoding: chunked\u{0C}", .field(.controlByte)),
        .line("T208 NBSP before", "Transfer-Encoding: \u{A0}chunked", .field(.nonASCIIByte)),
        .line("T208 chunked as it should be", "Transfer-Encoding: chunked", nil),
        .line("T208 any case, white space around", "transfer-ENCODING:\t CHUNKed \t", nil),
        .line("T209 Transfer_Encoding", "Transfer_Encoding: chunked", .field(.framingLookAlike)),
        .line("T209 content_length", "content_length: 5", .field(.framingLookAlike)),
        .line("T209 Transfer Encoding", "Transfer Encoding: chunked", .field(.invalidFieldName)),
        .line("T209 a tab before the colon", "Transfer-Encoding\t: chunked", .field(.whitespaceBeforeColon)),
        .line("T209 a space before the name, later line", " Transfer-Encoding: chunked", .field(.foldedField)),
        RequestCase(
            "T209 a space before the name, first line",
            "GET / HTTP/1.1\r\n Transfer-Encoding: chunked\r\nHost: a\r\n\r\n", .field(.foldedField)),
        .line("T249 Content-Encoding: chunked", "Content-Encoding: chunked", nil),
        .line("T249 TE: chunked", "TE: chunked", nil),
        .line("T249 Te: x", "Te: x", nil),
        .line("a hop-by-hop look-alike", "Keep_Alive: 1", .field(.hopByHopLookAlike)),
        .line("another hop-by-hop look-alike", "proxy_connection: keep-alive", .field(.hopByHopLookAlike)),
        .line("a forwarding look-alike", "X_Forwarded_For: 1.2.3.4", nil),
        .line("any other name with an underscore", "my_field: 1", nil),
    ]

    static let lines: [RequestCase] = [
        RequestCase("T213 LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n", .field(.bareLineFeed)),
        RequestCase("T213 LF after a field", "GET / HTTP/1.1\r\nHost: a\n\r\n", .field(.bareLineFeed)),
        RequestCase("T213 LF as the blank line", "GET / HTTP/1.1\r\nHost: a\r\n\n", .field(.bareLineFeed)),
        RequestCase("T213 LF as the first byte", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .field(.bareLineFeed)),
        RequestCase("T214 CR in the method", "G\rET / HTTP/1.1\r\nHost: a\r\n\r\n", .field(.bareCarriageReturn)),
        RequestCase("T214 CR in the target", "GET /\r HTTP/1.1\r\nHost: a\r\n\r\n", .field(.bareCarriageReturn)),
        RequestCase("T214 CR in a name", "GET / HTTP/1.1\r\nHo\rst: a\r\n\r\n", .field(.bareCarriageReturn)),
        RequestCase("T214 CR in a value", "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", .field(.bareCarriageReturn)),
        RequestCase("T215 CR LF CR X", "GET / HTTP/1.1\r\nHost: a\r\n\rX", .field(.bareCarriageReturn)),
        RequestCase("T215 CR CR LF", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n", .field(.bareCarriageReturn)),
        .line("T216 a fold with a space", "X: a\r\n b", .field(.foldedField)),
        .line("T216 a fold with a tab", "X: a\r\n\tb", .field(.foldedField)),
        .line("T216 a line of white space", "X: a\r\n \t", .field(.foldedField)),
        .line("T217 a space before the colon", "X : a", .field(.whitespaceBeforeColon)),
        .line("T217 no colon", "X", .field(.missingColon)),
        .line("T217 no colon, two words", "X a", .field(.missingColon)),
        .line("T217 an empty name", ": x", .field(.emptyFieldName)),
        .line("T217 a colon alone", ":", .field(.emptyFieldName)),
        .line("T217 a name over two lines", "Ho\r\nst: a", .field(.missingColon)),
        .line("a separator in a name", "X/Y: a", .field(.invalidFieldName)),
        .line("a quoted name", "\"X\": a", .field(.invalidFieldName)),
        .line("an empty value", "X:", nil),
        .line("a value of white space", "X: \t ", nil),
        .line("a value with tabs and colons", "X:a:\tb : c", nil),
        RequestCase("T219 one blank line first", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", nil),
        RequestCase("T219 two blank lines first", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .repeatedBlankLine),
    ]

    static let requestLines: [RequestCase] = [
        line("T220 two spaces before the target", "GET  / HTTP/1.1", .malformedRequestLine),
        line("T220 two spaces before the version", "GET /  HTTP/1.1", .malformedRequestLine),
        line("T220 a tab after the method", "GET\t/ HTTP/1.1", .invalidMethod),
        line("T220 a tab after the target", "GET /\tHTTP/1.1", .malformedRequestLine),
        line("T220 VT", "GET\u{0B}/ HTTP/1.1", .field(.controlByte)),
        line("T220 a space after the version", "GET / HTTP/1.1 ", .malformedRequestLine),
        line("T220 no version", "GET /", .malformedRequestLine),
        line("T220 no target", "GET", .malformedRequestLine),
        line("T220 four parts", "GET / x HTTP/1.1", .malformedRequestLine),
        RequestCase("T220 LF in the middle", "GET /\n HTTP/1.1\r\nHost: a\r\n\r\n", .field(.bareLineFeed)),
        line("a space before the method", " GET / HTTP/1.1", .invalidMethod),
        line("no token for a method", "G@T / HTTP/1.1", .invalidMethod),
        line("a method of 64 characters", String(repeating: "M", count: 64) + " / HTTP/1.1", nil),
        line("a method of 65 characters", String(repeating: "M", count: 65) + " / HTTP/1.1", .invalidMethod),
        line("T198 a registered method in lower case", "get / HTTP/1.1", .miscasedMethod),
        line("T198 a registered method with one letter in lower case", "POSt / HTTP/1.1", .miscasedMethod),
        line("T198 a method that is always refused, in lower case", "connect a:1 HTTP/1.1", .miscasedMethod),
        line("a method nobody knows, in lower case", "brew / HTTP/1.1", nil),
        line("a method that is longer than a registered one", "gets / HTTP/1.1", nil),
        line("a method nobody knows", "BREW / HTTP/1.1", nil),
        line("T221 HTTP/0.9", "GET / HTTP/0.9", .versionNotSupported),
        line("T221 HTTP/1.2", "GET / HTTP/1.2", .versionNotSupported),
        line("T221 HTTP/2.0", "GET / HTTP/2.0", .versionNotSupported),
        line("T221 HTTP/1.32", "GET / HTTP/1.32", .malformedVersion),
        line("T221 HTTP/11.1", "GET / HTTP/11.1", .malformedVersion),
        line("T221 HTTP/01.1", "GET / HTTP/01.1", .malformedVersion),
        line("T221 CR after the version", "GET / HTTP/1.1\r", .field(.bareCarriageReturn)),
        line("T221 lower case", "GET / http/1.1", .malformedVersion),
        line("T221 a huge version", "GET / HTTP/4294967297.1", .malformedVersion),
        line("T221 ICE/1.0", "GET / ICE/1.0", .malformedVersion),
        line("T221 RTSP/1.0", "GET / RTSP/1.0", .malformedVersion),
        line("T221 HTTP/1.0", "GET / HTTP/1.0", nil),
        line("T225 an asterisk with GET", "GET * HTTP/1.1", .asteriskWithoutOptions),
        line("an asterisk with OPTIONS", "OPTIONS * HTTP/1.1", nil),
        line("T225 an authority with GET", "GET a.example:443 HTTP/1.1", .invalidTargetForm),
        line("T225 CONNECT", "CONNECT a.example:443 HTTP/1.1", .methodNotAllowed),
        line("T225 CONNECT of a path", "CONNECT / HTTP/1.1", .methodNotAllowed),
        line("TRACE", "TRACE / HTTP/1.1", .methodNotAllowed),
        line("T226 a fragment", "GET /#x HTTP/1.1", .fragmentInTarget),
        line(
            "T226 what browsers send as it is, in a path and in a query", "GET /|{}^`\"<>[]?|{}^`\"<>[]\\ HTTP/1.1", nil
        ),
        line("T226 a backslash, which its path's one form refuses", "GET /\\x HTTP/1.1", nil),
        line("T226 DEL", "GET /\u{7F} HTTP/1.1", .field(.controlByte)),
        line("T226 UTF-8", "GET /ü?ü HTTP/1.1", nil),
        RequestCase(
            "T226 no UTF-8 in a query", Array("GET /?".utf8) + [0xFC] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8),
            .queryNotUTF8),
        RequestCase(
            "T226 no UTF-8 in a path", Array("GET /".utf8) + [0xFC] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8), nil),
        line("a byte above 0x7F in a method", "GÉT / HTTP/1.1", .invalidMethod),
        line("a byte above 0x7F in a version", "GET / HTTP/1.1é", .malformedVersion),
        line("a byte above 0x7F in an authority", "GET http://é.example/ HTTP/1.1", .invalidTargetAuthority),
        line("a fragment without a target", "GET # HTTP/1.1", .fragmentInTarget),
        line("no slash first", "GET ?x HTTP/1.1", .invalidTargetForm),
        line("another scheme", "GET ftp://a.example/ HTTP/1.1", .invalidTargetForm),
        line("escapes are judged elsewhere", "GET /%zz/..;/%00?a=/../b?c HTTP/1.1", nil),
        RequestCase("T245 the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .versionNotSupported),
        RequestCase("T246 a TLS hello", [0x16, 0x03, 0x01, 0x02, 0x00], .field(.controlByte)),
        RequestCase("T246 an SSH banner", "SSH-2.0-OpenSSH_9.2\r\n", .malformedRequestLine),
        RequestCase("T246 SMTP", "HELO a.example\r\n", .malformedRequestLine),
        RequestCase("T246 Redis", "*1\r\n$4\r\nPING\r\n", .malformedRequestLine),
        RequestCase("T251 the PROXY protocol", "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n", .malformedRequestLine),
        RequestCase("T251 the PROXY protocol, second version", "\r\n\r\n\0\r\nQUIT\n", .repeatedBlankLine),
    ]

    static let authorities: [RequestCase] = [
        RequestCase("T222 no Host", "GET / HTTP/1.1\r\n\r\n", .missingHost),
        RequestCase("no Host in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", nil),
        RequestCase("T222 two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .repeatedHost),
        RequestCase("two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", .repeatedHost),
        host("T222 empty", "", .invalidHost),
        host("T222 a list", "a, b", .invalidHost),
        host("T222 a list without a space", "a,b", .invalidHost),
        host("T222 a space", "a b", .invalidHost),
        host("T222 user information", "u@a", .invalidHost),
        host("T222 a slash", "a/b", .invalidHost),
        host("T222 a backslash", "a\\b", .invalidHost),
        host("T222 NUL", "a\0", .field(.controlByte)),
        host("T222 an escaped NUL", "a%00", .invalidHost),
        host("T222 port 0", "a:0", .invalidHost),
        host("T222 port 65535", "a:65535", nil),
        host("T222 port 65536", "a:65536", .invalidHost),
        host("T222 an empty port", "a:", .invalidHost),
        host("T222 two ports", "a:80:80", .invalidHost),
        host("a port with a zero first", "a:080", .invalidHost),
        host("a port of letters", "a:http", .invalidHost),
        host("a port and no host", ":80", .invalidHost),
        host("T280 upper case", "API.example", nil),
        host("T280 a final dot", "api.example.", nil),
        host("T280 a port", "api.example:443", nil),
        host("T280 IPv6", "[::1]", nil),
        host("T280 NBSP", "api.example\u{A0}", .field(.nonASCIIByte)),
        host("an underscore, as container networks have", "orders_api:8080", nil),
        host("a dot alone", ".", .invalidHost),
        host("an empty label", "a..b", .invalidHost),
        host("a dot first", ".a", .invalidHost),
        host("two final dots", "a..", .invalidHost),
        host("IPv4", "192.0.2.1:80", nil),
        host("IPv4 out of range", "192.0.2.256", .invalidHost),
        host("IPv4 with a zero first", "192.0.2.01", .invalidHost),
        host("IPv4 with three parts", "192.0.2", .invalidHost),
        host("IPv4 as one number", "3221225985", .invalidHost),
        host("IPv4 in hexadecimal", "0xC0000201", .invalidHost),
        host("IPv4 with a final dot", "192.0.2.1.", .invalidHost),
        host("IPv6 and a port", "[2001:db8::7]:8443", nil),
        host("IPv6 whole", "[1:2:3:4:5:6:7:8]", nil),
        host("IPv6 with IPv4", "[::ffff:192.0.2.1]", nil),
        host("IPv6 without brackets", "::1", .invalidHost),
        host("IPv6 not closed", "[::1", .invalidHost),
        host("IPv6 with a zone", "[fe80::1%25eth0]", .invalidHost),
        host("IPv6 with two gaps", "[1::2::3]", .invalidHost),
        host("IPv6 with nine groups", "[1:2:3:4:5:6:7:8:9]", .invalidHost),
        host("IPv6 with seven groups", "[1:2:3:4:5:6:7]", .invalidHost),
        host("IPv6 with eight groups and a gap", "[1:2:3:4::5:6:7:8]", .invalidHost),
        host("IPv6 with five digits", "[12345::]", .invalidHost),
        host("IPv6 with a colon last", "[1::2:]", .invalidHost),
        host("IPv6 with a colon first", "[:1::2]", .invalidHost),
        host("IPv6 with bad IPv4", "[::192.0.2.256]", .invalidHost),
        host("empty brackets", "[]", .invalidHost),
        host("IPv6 and text", "[::1]a", .invalidHost),
        host("a name of 255 characters", String(repeating: "a", count: 255), nil),
        host("a name of 256 characters", String(repeating: "a", count: 256), .invalidHost),
        absolute("T223 another host", "http://b.example/", "a.example", .hostContradictsTarget),
        absolute("T223 another port", "http://a.example:8080/", "a.example", .hostContradictsTarget),
        absolute("T223 the other scheme's port", "http://a.example/", "a.example:443", .hostContradictsTarget),
        absolute("T224 the same host", "http://a.example/orders?x", "a.example", nil),
        absolute("T224 the same host in another case", "HTTP://A.example/orders", "a.EXAMPLE", nil),
        absolute("the port that http means", "http://a.example:80/", "a.example", nil),
        absolute("the port that https means", "https://a.example", "a.example:443", nil),
        absolute("a query and no path", "http://a.example?x=/y", "a.example", nil),
        absolute("user information", "http://u@a.example/", "a.example", .invalidTargetAuthority),
        absolute("no authority", "http:///orders", "a.example", .invalidTargetAuthority),
    ]

    static let connections: [RequestCase] = [
        .line("T026 authorization", "Connection: authorization", .field(.connectionNominatesProtectedField)),
        .line("T304 Host among others", "Connection: X-Auth-Subject, HOST", .field(.connectionNominatesProtectedField)),
        .line(
            "T304 Content-Length", "Connection: close\r\nConnection: Content-Length",
            .field(.connectionNominatesProtectedField)
        ),
        .line("T304 content_length", "Connection: content_length", .field(.connectionNominatesProtectedField)),
        .line("T304 Transfer-Encoding", "Connection: transfer-encoding", .field(.connectionNominatesProtectedField)),
        .line("T304 other names", "Connection: X-Auth-Subject, X-Forwarded-For", nil),
        .line("no token among the options", "Connection: clo se", .field(.malformedConnection)),
        .line("a quoted option", "Connection: \"close\"", .field(.malformedConnection)),
        .line("empty options", "Connection: ,close, ,", nil),
        .line("T243 h2c", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA", nil),
        .line("Expect", "Expect: 100-Continue", nil),
        .line("another expectation", "Expect: 100-continue, x", .expectationFailed),
        .line("an empty expectation", "Expect:", .expectationFailed),
        .line("two expectations", "Expect: 100-continue\r\nExpect: 100-continue", .expectationFailed),
    ]

    private static func line(_ name: String, _ line: String, _ rejection: RequestHeadRejection?) -> RequestCase {
        RequestCase(name, "\(line)\r\nHost: a.example\r\n\r\n", rejection)
    }

    private static func host(_ name: String, _ value: String, _ rejection: RequestHeadRejection?) -> RequestCase {
        RequestCase("Host: \(name)", "GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n", rejection)
    }

    private static func absolute(_ name: String, _ target: String, _ host: String, _ rejection: RequestHeadRejection?)
        -> RequestCase
    {
        RequestCase("absolute target: \(name)", "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n", rejection)
    }
}
