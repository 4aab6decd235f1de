import AccessControl
import HTTPMessages
import TestSupport
import Testing

/// Targets as clients write them, and as they are forwarded to an upstream.
struct TargetFormTests {
    private static let texts = [
        "/", "/", "a", "b", "?", "?", "&", "=", "|", "{", "}", "^", "`", "\\", "\"", "<", ">", "[", "]", "%7C",
        "%c3%a9", "%41", "%", "%2",
        ";",
        ".", "\u{E9}", "\u{E0}", "\u{1F43B}", "\u{FF0F}", "#", " ",
    ]
    private static let bytes: [[UInt8]] = [[0xC3], [0xA9], [0x80], [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80]]
    private static let pieces: [[UInt8]] = texts.map { [UInt8]($0.utf8) } + bytes

    @Test(arguments: 1...4)
    func `a forwarded target is ASCII, means what was received, and stays the same when judged again`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var (written, refused) = (0, 0)
        for _ in 0..<10_000 {
            let count = Int.random(in: 1...8, using: &generator)
            let target =
                Array("/".utf8) + (0..<count).compactMap { _ in Self.pieces.randomElement(using: &generator) }.joined()
            guard let line = Self.forwarded(target) else {
                refused += 1
                continue
            }
            written += 1
            #expect(line.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }, "\(target)")
            #expect(
                !line.prefix { $0 != UInt8(ascii: "?") }.contains { "|{}^`\\\"<>[]".utf8.contains($0) }, "\(target)")
            #expect(NaiveDecoding.decode(line) == NaiveDecoding.decode(target), "\(target)")
            #expect(Self.forwarded(line) == line, "\(target)")
        }
        #expect(written > 1_000 && refused > 1_000)
    }

    @Test(
        arguments: [
            ("/a?q=|{}^`\\\"<>[]", "/a?q=|{}^`\\\"<>[]"), ("/a|[1]?\u{E9}", "/a%7C%5B1%5D?%C3%A9"),
            ("/caf\u{E9}", "/caf%C3%A9"),
            ("/a?%e9", "/a?%e9"),
            ("/a\\b", nil), ("/a?#", nil), ("/a#b", nil),
        ] as [(String, String?)])
    func `a path has one canonical form, and a query is unchanged except for bytes above 0x7F`(
        target: String, line: String?
    ) {
        #expect(Self.forwarded(Array(target.utf8)).map { String(decoding: $0, as: UTF8.self) } == line)
    }

    @Test func `bytes that are not UTF-8 are refused in path and query`() {
        for bytes: [UInt8] in [[0xE9], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] {
            #expect(Self.forwarded(Array("/a".utf8) + bytes) == nil)
            #expect(Self.forwarded(Array("/a?q=".utf8) + bytes) == nil)
        }
    }

    /// The forwarded target. Nil if the target is refused.
    private static func forwarded(_ target: [UInt8]) -> [UInt8]? {
        var parser = RequestHeadParser()
        let bytes = Array("GET ".utf8) + target + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        guard (try? parser.parse(bytes.span)) == .complete else { return nil }
        let head = parser.head
        var path = RequestPath()
        guard (try? path.canonicalize(head.bytes.span.extracting(head.target.path))) != nil else { return nil }
        let (canonical, method) = (path.canonical, Array("GET".utf8))
        var writer = HeadWriter()
        if let query = head.target.query {
            let isWritten = writer.requestLine(
                method: method.span, path: canonical.span, query: head.bytes.span.extracting(query))
            #expect(isWritten)
        } else {
            let isWritten = writer.requestLine(method: method.span, target: canonical.span)
            #expect(isWritten)
        }
        return Array(writer.bytes.dropFirst(4).prefix { $0 != UInt8(ascii: " ") })
    }
}
