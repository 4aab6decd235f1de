import TestSupport

/// Generates field sections of HTTP/2 responses, most of them valid, and damages some.
struct ResponseSectionGrammar {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static let statuses = ["200", "200", "204", "206", "304", "404", "503", "599", "299"]
    private static let oddStatuses = ["100", "103", "101", "099", "600", "20", "2000", "+20", "", "2x0", "200 "]
    private static let lines: [(String, String)] = [
        ("date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("server", "a"), ("set-cookie", "a=b"),
        ("set-cookie", "c=d; Secure"),
        ("content-type", "text/html"), ("x", ""), ("x", "\u{E9}"), ("x", "a\tb"), ("x", " a "),
        ("trailer", "grpc-status"),
        ("sec-websocket-accept", "a"), ("cache-control", "no-store"), ("x-forwarded-for", "b"), ("grpc-status", "0"),
        ("proxy-authenticate", "Basic"), ("www-authenticate", "Bearer"),
    ]
    private static let badLines: [(String, String)] = [
        ("connection", "close"), ("proxy-connection", "close"), ("keep-alive", "1"), ("transfer-encoding", "chunked"),
        ("upgrade", "a"),
        ("X", "a"), ("x y", "a"), ("", "a"), ("x", "a\r\nb: c"), ("x", "\0"), ("x", "\u{7F}"), ("\u{E9}", "a"),
        ("content_length", "1"), ("proxy.connection", "a"), (":status", "200"), (":path", "/"), ("content-length", "1"),
    ]
    private static let lengths = ["0", "0", "3", "12", "3", "0", "12", "03", "+3", "", "9223372036854775808"]

    mutating func next() -> (section: FieldSection, isHEAD: Bool) {
        var section = FieldSection(endsStream: generator.once(in: 3))
        var lines = [
            (":status", generator.once(in: 8) ? generator.pick(Self.oddStatuses) : generator.pick(Self.statuses))
        ]
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            lines.append(generator.once(in: 40) ? generator.pick(Self.badLines) : generator.pick(Self.lines))
        }
        if generator.once(in: 3) { lines.append(("content-length", generator.pick(Self.lengths))) }
        if generator.once(in: 6) {
            lines.append(
                (
                    "content-type",
                    generator.pick(["application/grpc", "application/grpc+proto", "application/grpc-web"])
                ))
        }
        if generator.once(in: 40) { lines.swapAt(0, lines.count - 1) }
        section.fields = lines.map { .init(name: Array($0.0.utf8), value: Array($0.1.utf8)) }
        if generator.once(in: 6), let index = section.fields.indices.randomElement(using: &generator) {
            let byte = generator.pick(Array("\0\t\r\n \":a0Z\u{7F}".utf8) + [0x80, 0xE9, 0xFF])
            if generator.once(in: 3) {
                section.fields[index].name.append(byte)
            } else {
                section.fields[index].value.insert(byte, at: 0)
            }
        }
        return (section, generator.once(in: 5))
    }

    /// Limits that heads of this grammar hit.
    mutating func limits() -> (head: Int, field: Int, fields: Int) {
        (
            Int.random(in: 10...250, using: &generator), Int.random(in: 1...30, using: &generator),
            Int.random(in: 1...6, using: &generator)
        )
    }
}
