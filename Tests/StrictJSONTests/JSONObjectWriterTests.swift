import TestSupport
import Testing

@testable import StrictJSON

struct JSONObjectWriterTests {
    private static func written(_ body: (inout JSONObjectWriter, inout [UInt8]) -> Void) -> String {
        var bytes: [UInt8] = []
        var writer = JSONObjectWriter()
        writer.beginObject(into: &bytes)
        body(&writer, &bytes)
        writer.end(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `written members of every type are separated by commas`() throws {
        let value = try JSONDocument(parsing: Array(#"{"x": [1]}"#.utf8), limits: .claimsSet).root
        let text = Self.written { writer, bytes in
            writer.member("s", string: "text", into: &bytes)
            writer.member("i", integer: Int64.min, into: &bytes)
            writer.member("n", integer: 0, into: &bytes)
            writer.member("r", real: 0.1, into: &bytes)
            writer.member("nan", real: .nan, into: &bytes)
            writer.member("b", boolean: true, into: &bytes)
            writer.memberNull("z", into: &bytes)
            writer.member("v", value: value, into: &bytes)
            writer.member("l", strings: ["a", "b"], into: &bytes)
            writer.member("e", strings: [], into: &bytes)
        }
        #expect(
            text
                == #"{"s":"text","i":-9223372036854775808,"n":0,"r":0.1,"nan":null,"b":true,"z":null,"v":{"x":[1]},"l":["a","b"],"e":[]}"#
        )
    }

    @Test func `written objects and arrays can be nested`() {
        let text = Self.written { writer, bytes in
            writer.beginObject("o", into: &bytes)
            writer.beginArray("a", into: &bytes)
            writer.element(integer: 1, into: &bytes)
            writer.beginObject(into: &bytes)
            writer.end(into: &bytes)
            writer.element(string: "x", into: &bytes)
            writer.end(into: &bytes)
            writer.member("p", integer: 2, into: &bytes)
            writer.end(into: &bytes)
            writer.member("q", integer: 3, into: &bytes)
        }
        #expect(text == #"{"o":{"a":[1,{},"x"],"p":2},"q":3}"#)
    }

    @Test func `objects written in a closure are closed automatically, also within an array`() {
        let text = JSONObjectWriter.text { writer, bytes in
            writer.member("first", optional: "a", into: &bytes)
            writer.objects("list", [1, 2], into: &bytes) { $1.member("n", integer: $0, into: &$2) }
            writer.objects("none", [Int](), into: &bytes) { $1.member("n", integer: $0, into: &$2) }
            writer.member("last", optional: nil, into: &bytes)
        }
        #expect(text == #"{"first":"a","list":[{"n":1},{"n":2}],"none":[],"last":null}"#)
    }

    @Test func `a surplus end writes nothing`() {
        var bytes: [UInt8] = []
        var writer = JSONObjectWriter()
        writer.end(into: &bytes)
        #expect(bytes.isEmpty)
    }

    /// Characters of Unicode's category Cf: they change the text direction, join characters, or are invisible.
    private static let formats =
        "\u{AD}\u{61C}\u{180E}\u{200B}\u{200C}\u{200D}\u{200E}\u{200F}\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}"
        + "\u{2060}\u{2066}\u{2067}\u{2068}\u{2069}\u{FEFF}\u{FFF9}\u{1D173}\u{E0001}\u{E007F}"

    @Test func `control and format characters, quotes, backslashes and line separators are escaped, and read back`()
        throws
    {
        let others = "\u{2028}\u{2029}\u{FFFD}\u{10FFFF}" + Self.formats
        let scalars = (1...0xFF).compactMap(Unicode.Scalar.init).map(String.init).joined() + others
        let text = Self.written { writer, bytes in writer.member(scalars, string: scalars, into: &bytes) }
        for scalar in text.unicodeScalars {
            #expect(
                scalar.value >= 0x20 && !(0x7F...0x9F ~= scalar.value) && scalar.value != 0x2028
                    && scalar.value != 0x2029)
            #expect(!Self.formats.unicodeScalars.contains(scalar))
        }
        let member = try #require(
            Array(try JSONDocument(parsing: Array(text.utf8), limits: .claimsSet).root.members).first)
        #expect(member.name == scalars)
        #expect(member.value.string == scalars)
    }

    @Test(arguments: [
        ("\u{202E}", #"\u202e"#), ("\u{FEFF}", #"\ufeff"#), ("\u{AD}", #"\u00ad"#), ("\u{1D173}", #"\ud834\udd73"#),
        ("\u{E0001}", #"\udb40\udc01"#), ("\u{2027}", "\u{2027}"), ("\u{2030}", "\u{2030}"), ("\u{200A}", "\u{200A}"),
        ("\u{2010}", "\u{2010}"),
        ("\u{FEFE}", "\u{FEFE}"), ("\u{FF00}", "\u{FF00}"), ("\u{A0}", "\u{A0}"), ("\u{1F43B}", "\u{1F43B}"),
        ("é", "é"),
    ])
    func `a format character is escaped by its code units, and neighbouring characters are unchanged`(
        text: String, expected: String
    ) {
        #expect(
            Self.written { writer, bytes in writer.member("n", string: text, into: &bytes) }
                == "{\"n\":\"\(expected)\"}")
    }

    @Test(arguments: [
        ("a\nb\r\u{1B}[31m", #"a\u{a}b\u{d}\u{1b}[31m"#), ("\u{2028}\u{202E}\u{85}é", #"\u{2028}\u{202e}\u{85}é"#),
        ("\u{200B}\u{E0001}\u{1F43B}", #"\u{200b}\u{e0001}"# + "\u{1F43B}"), ("", ""),
    ])
    func `a visible text is one line without hidden characters`(text: String, expected: String) {
        #expect(text.visible == expected)
    }

    @Test func `a character is escaped or kept alike at every place of a text`() {
        func written(_ bytes: [UInt8]) -> [UInt8] {
            var output: [UInt8] = []
            JSONText.appendString(bytes.span, to: &output)
            return output
        }
        for byte in UInt8.min..<0x80 {
            let alone = written([byte]).dropFirst().dropLast()
            #expect((alone.count == 1) == ((0x20...0x7E).contains(byte) && byte != 0x22 && byte != 0x5C), "\(byte)")
            for place in 0..<17 {
                let (before, after) = (
                    [UInt8](repeating: 0x61, count: place), [UInt8](repeating: 0x7A, count: 16 - place)
                )
                #expect(
                    written(before + [byte] + after) == [0x22] + before + alone + after + [0x22], "\(byte) at \(place)")
            }
        }
    }

    @Test func `a null character is written as an escape`() {
        #expect(
            Self.written { writer, bytes in writer.member("n", string: "\u{0}", into: &bytes) } == #"{"n":"\u0000"}"#)
    }

    @Test(
        arguments: [
            [0x61, 0xFF, 0x62], [0xC0, 0x80], [0xE2, 0x80], [0xE2, 0x80, 0x41], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80],
            [0x80, 0xBF], [0xC3], [0xF0, 0x9F, 0x98, 0x80], [0xC3, 0xA9],
        ] as [[UInt8]])
    func `malformed UTF-8 becomes the same replacement characters as in Swift`(bytes: [UInt8]) {
        let text = Self.written { writer, output in writer.member("m", stringBytes: bytes.span, into: &output) }
        #expect(text == #"{"m":"\#(String(decoding: bytes, as: UTF8.self))"}"#)
    }

    @Test func `malformed UTF-8 in random bytes becomes the same replacement characters as in Swift`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let bytes = (0..<8).map { _ in UInt8.random(in: 0xA0...0xF5, using: &generator) }
            let text = Self.written { writer, output in writer.member("m", stringBytes: bytes.span, into: &output) }
            let expected = String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
                guard scalar.isWrittenAsNumber else { return String(scalar) }
                return String(scalar).utf16.map { #"\u"# + String(0x1_0000 + Int($0), radix: 16).dropFirst() }.joined()
            }
            #expect(text == #"{"m":"\#(expected.joined())"}"#)
        }
    }

    @Test func `earlier bytes in the array stay`() {
        var bytes = Array("log: ".utf8)
        var writer = JSONObjectWriter()
        writer.beginObject(into: &bytes)
        writer.end(into: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "log: {}")
    }
}
