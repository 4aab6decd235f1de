import TestSupport

/// Generates request heads from the grammar, most of them valid, and damages some.
struct RequestGrammar {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// Parts of a head: usually valid ones, now and then an invalid one.
    private struct Words {
        var good: [String]
        var bad: [String]
    }

    private static let methods = Words(
        good: ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"],
        bad: ["CONNECT", "TRACE", "get", "GETT", "G@T", ""])
    private static let targets = Words(
        good: [
            "/", "/a", "/a/b?c=d", "/?", "/a?b?c", "/%41%zz", "/a;b=c", "//a", "/~!$&'()*+,=:@-._",
            "http://a.example/x?y",
            "http://a.example",
        ],
        bad: ["http://b.example/", "*", "a.example:80", "/#", "/\\", "", "/a b", "/ü"])
    private static let versions = Words(
        good: ["HTTP/1.1", "HTTP/1.1", "HTTP/1.0"], bad: ["HTTP/1.2", "http/1.1", "HTTP/1.1 "])
    private static let hosts = Words(
        good: ["Host: a.example", "host:A.EXAMPLE:80"], bad: ["Host: a b", "Host:", "X: y"])
    private static let lines = Words(
        good: [
            "X: y", "X:y", "X:", "X: \t y \t", "Accept: */*", "X-Long-Name_with.all!#$%&'*+^`|~: z",
            "Connection: close",
            "Connection: keep-alive", "Connection: Keep-Alive, X", "connection: close\t", "Connection:",
            "Connection: ,close",
            "Cookie: a=b; c=\"d\"", "TE: trailers", "Expect: 100-continue", "Via: 1.1 a",
        ],
        bad: [
            "X : y", " X: y", ": y", "X", "X: a\u{7F}", "X: ü", "Transfer_Encoding: chunked", "Host: a.example",
            "Expect: x",
        ])
    private static let framings = Words(
        good: [
            "X: y", "Content-Length: 0", "Content-Length: 3", "content-length:\t7 ",
            "Transfer-Encoding: chunked", "transfer-encoding: CHUNKED", "Transfer-Encoding: chunked\t",
        ],
        bad: [
            "Content-Length: 03", "Content-Length: +3", "Content-Length: 3\r\nContent-Length: 3",
            "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: identity", "Content-Length: 3\r\nTransfer-Encoding: chunked",
        ])
    private static let damages: [UInt8] = Array("\0\t\n\r \"#,:;?@\\_|0159AaZz\u{7F}".utf8) + [0x80, 0xC2, 0xFF]

    mutating func next() -> [UInt8] {
        var text = "\(pick(Self.methods)) \(pick(Self.targets)) \(pick(Self.versions))\r\n"
        if generator.once(in: 20) { text = "\r\n" + text }
        var lines = [pick(Self.hosts), pick(Self.framings)]
        for _ in 0..<Int.random(in: 0...4, using: &generator) { lines.append(pick(Self.lines)) }
        lines.shuffle(using: &generator)
        text += lines.map { $0 + "\r\n" }.joined() + "\r\n"
        var bytes = Array(text.utf8)
        if generator.once(in: 3) { damage(&bytes) }
        return bytes
    }

    private mutating func pick(_ words: Words) -> String {
        generator.pick(generator.once(in: 25) ? words.bad : words.good)
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[place] = generator.pick(Self.damages)
            case 1: bytes.insert(generator.pick(Self.damages), at: place)
            case 2 where bytes.count > 8: bytes.remove(at: place)
            default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 12)], at: place)
            }
        }
    }
}
