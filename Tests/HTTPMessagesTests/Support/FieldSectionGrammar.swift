import HTTPMessages
import TestSupport

/// Generates field sections of HTTP/2 requests, most of them valid, and damages some.
struct FieldSectionGrammar {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private typealias Words = (good: [String], bad: [String])

    private static let methods: Words = (
        ["GET", "GET", "POST", "HEAD", "OPTIONS", "PUT", "PURGE"],
        ["CONNECT", "TRACE", "get", "Post", "G T", "", "M\u{E9}", String(repeating: "M", count: 65)]
    )
    private static let schemes: Words = (["https", "http"], ["ftp", "HTTPS", ""])
    private static let paths: Words = (
        ["/", "/a/b?c=d", "/?", "/a?b?c", "/%41%zz", "//a", "/a;b=c", "/pkg.Service/Method"],
        [
            "*", "", "a", "/#a", "/a b", "/\u{E9}", "/<", "http://a.example/", "/\r\n", "?a",
            "/" + String(repeating: "p", count: 9000),
        ]
    )
    private static let authorities: Words = (
        ["a.example", "A.example:8443", "127.0.0.1", "[::1]:80", "a"],
        [
            "", "u@a.example", "a:b:c", "a,b", "[::1]:x", " a.example", "a.example ", "a\u{E9}.example", "a b", "127.1",
            "a:0", "a\r\nb",
        ]
    )
    private static let lines: [(String, Words)] = [
        ("accept", (["*/*", "", "text/html, application/json;q=0.5"], [" a", "a ", "a\tb", "\t"])),
        ("cookie", (["a=b", "c=d; e=f", "", "g=\"h\""], ["a\u{E9}", " a"])),
        (
            "authorization",
            (["Bearer abc", "Bearer   abcdefghij", "Basic eA=="], ["Bearer a\u{1}", "Bearer \u{FC}", ""])
        ),
        ("content-type", (["application/grpc", "application/grpc+proto", "text/plain"], ["application/grpc\n"])),
        ("te", (["trailers"], ["Trailers", "trailers, gzip", "gzip", ""])),
        ("expect", (["100-continue", "100-Continue"], ["200-ok", ""])),
        ("x-request-id", (["1", "a-b"], ["\u{7F}"])),
        ("x-forwarded-for", (["192.0.2.1"], [])), ("via", (["2.0 a"], [])), ("trailer", (["a"], [])),
        ("x-auth-subject", (["eve"], [])),
        ("traceparent", (["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"], [])),
        ("sec-websocket-version", (["13"], ["8"])), ("sec-websocket-key", (["AAAAAAAAAAAAAAAAAAAAAA=="], [])),
        ("http2-settings", (["AAMAAABk"], [])), ("user-agent", (["curl/8"], ["\u{FFFD}"])),
    ]
    private static let badLines: [(String, String)] = [
        ("connection", "close"), ("connection", "keep-alive"), ("proxy-connection", "close"), ("keep-alive", "1"),
        ("transfer-encoding", "chunked"), ("upgrade", "websocket"), ("Accept", "a"), ("acc ept", "a"), ("", "a"),
        ("a:", "b"),
        ("\u{E9}", "a"), ("transfer_encoding", "chunked"), ("content.length", "3"), ("x_forwarded_for", "192.0.2.1"),
        ("proxy_connection", "a"), (":path", "/late"), (":status", "200"), (":protocol", "websocket"), (":x", "y"),
        ("te", "trailers"), ("host", "b.example"), ("content-length", "1"),
    ]
    private static let lengths: Words = (["0", "3", "12"], ["03", "+3", "", "-1", "3,3", "9223372036854775808", "1 "])
    private static let damages: [UInt8] = Array("\0\t\n\r \"#,:;?@\\_|0159AaZz\u{7F}-".utf8) + [0x80, 0xC2, 0xE9, 0xFF]

    mutating func next() -> FieldSection {
        var section = FieldSection(endsStream: generator.once(in: 2))
        let isWebSocket = generator.once(in: 12)
        var start = [
            (":method", isWebSocket ? "CONNECT" : pick(Self.methods)), (":scheme", pick(Self.schemes)),
            (":path", pick(Self.paths)),
            (":authority", pick(Self.authorities)),
        ]
        if isWebSocket { start.append((":protocol", generator.once(in: 8) ? "h3" : "websocket")) }
        if generator.once(in: 30) { start.remove(at: Int.random(in: 0..<start.count, using: &generator)) }
        if generator.once(in: 60) { start.append(generator.pick(start)) }
        start.shuffle(using: &generator)
        var lines = (0..<Int.random(in: 0...8, using: &generator)).map { _ in line() }
        if !isWebSocket, generator.once(in: 3) { lines.append(("content-length", pick(Self.lengths))) }
        if generator.once(in: 10) { lines.append(("host", pick(Self.authorities))) }
        if generator.once(in: 40), let name = start.first(where: { $0.0 == ":authority" })?.1 {
            lines.append(("host", name))
        }
        lines.shuffle(using: &generator)
        section.fields = (start + lines).map { .init(name: Array($0.0.utf8), value: Array($0.1.utf8)) }
        // Only a host field: an HTTP/1.1 request forwarded by a proxy.
        if generator.once(in: 12) { section.fields.removeAll { $0.name == Array(":authority".utf8) } }
        if generator.once(in: 4) { damage(&section) }
        for index in section.fields.indices { section.fields[index].isNeverIndexed = generator.once(in: 3) }
        return section
    }

    private mutating func line() -> (String, String) {
        if generator.once(in: 40) { return generator.pick(Self.badLines) }
        let (name, words) = generator.pick(Self.lines)
        return (name, pick(words))
    }

    private mutating func pick(_ words: Words) -> String {
        generator.pick(!words.bad.isEmpty && generator.once(in: 30) ? words.bad : words.good)
    }

    /// Limits that heads of this grammar hit.
    mutating func limits() -> HeadLimits {
        let head = Int.random(in: 20...600, using: &generator)
        return HeadLimits(
            head: head, field: Int.random(in: 5...40, using: &generator),
            authorization: Int.random(in: 2...12, using: &generator),
            fields: Int.random(in: 1...12, using: &generator), target: Int.random(in: 1...20, using: &generator))
    }

    private mutating func damage(_ section: inout FieldSection) {
        for _ in 0..<Int.random(in: 1...2, using: &generator) where !section.fields.isEmpty {
            let index = Int.random(in: 0..<section.fields.count, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: section.fields[index].name = damaged(section.fields[index].name)
            case 1: section.fields.append(section.fields[index])
            case 2: section.fields.remove(at: index)
            case 3: section.fields.swapAt(index, section.fields.count - 1)
            case 4:
                section.fields[index].value += [UInt8](
                    repeating: 0x78, count: Int.random(in: 1...9000, using: &generator))
            default: section.fields[index].value = damaged(section.fields[index].value)
            }
        }
    }

    private mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let index = Int.random(in: 0...bytes.count, using: &generator)
        if index < bytes.count, generator.once(in: 2) {
            bytes[index] = generator.pick(Self.damages)
        } else {
            bytes.insert(generator.pick(Self.damages), at: index)
        }
        return bytes
    }
}
