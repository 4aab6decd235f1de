import HTTPMessages
import Testing

/// The mangled `Transfer-Encoding` lines of the smuggler tool, each with and without `Content-Length`.
struct SmugglerGadgetTests {
    struct Gadget: Decodable {
        var name: String
        var headerLineHex: String

        var line: [UInt8] { Array(hex: headerLineHex) }

        func request(withLength: Bool) -> [UInt8] {
            Array("POST / HTTP/1.1\r\nHost: a.example\r\n".utf8) + line
                + Array((withLength ? "\r\nContent-Length: 5\r\n\r\n" : "\r\n\r\n").utf8) + Array("0\r\n\r\n".utf8)
        }

        /// True if the words are only inside the value of `X`.
        ///
        /// Bytes above 0x7F are opaque: no reader takes them for the end of a line.
        var isInsideValue: Bool {
            ([0x20, 0x09, 0xA0, 0xFF] as [UInt8]).contains {
                line == Array("X: X".utf8) + [$0] + Array("Transfer-Encoding: chunked".utf8)
            }
        }

        /// True if some line is exactly the field.
        var hasExactLine: Bool {
            text.split(separator: "\r\n", omittingEmptySubsequences: false)
                .contains { $0.wholeMatch(of: /Transfer-Encoding:[ \t]*chunked[ \t]*/) != nil }
        }

        private var text: String { String(decoding: line, as: UTF8.self) }
    }

    private static func gadgets() throws -> [Gadget] {
        try Vectors.decode([Gadget].self, from: "smuggler-te-gadgets/default.json")
    }

    @Test func `T210 beside Content-Length, smuggler gadgets are refused unless they are inside another value`() throws
    {
        let gadgets = try Self.gadgets()
        #expect(gadgets.count == 134)
        #expect(gadgets.count(where: \.isInsideValue) == 4)
        for gadget in gadgets {
            let stream = RequestStream(gadget.request(withLength: true))
            if gadget.isInsideValue {
                #expect(stream.end == .clean, "\(gadget.name)")
                #expect(stream.requests.map(\.framing) == [.length(5)], "\(gadget.name)")
            } else {
                #expect(stream.requests.isEmpty, "\(gadget.name)")
                #expect(stream.isRefused, "\(gadget.name): \(stream.end)")
            }
        }
    }

    @Test func `T210 without Content-Length, only the exact line makes a chunked request`() throws {
        for gadget in try Self.gadgets() {
            let stream = RequestStream(gadget.request(withLength: false))
            if gadget.isInsideValue {
                #expect(stream.requests.map(\.framing) == [.none], "\(gadget.name)")
                #expect(stream.end == .head(.malformedRequestLine), "\(gadget.name)")
            } else if gadget.hasExactLine, stream.end == .clean {
                #expect(stream.requests.map(\.framing) == [.chunked], "\(gadget.name)")
            } else {
                #expect(!gadget.hasExactLine || Self.refusedForAnotherLine.contains(gadget.name), "\(gadget.name)")
                #expect(stream.requests.isEmpty, "\(gadget.name)")
                #expect(stream.isRefused, "\(gadget.name): \(stream.end)")
            }
        }
    }

    /// Gadgets with the correct field that are refused because another of their lines is no field line.
    private static let refusedForAnotherLine: Set<String> = []

    @Test func `T247 each smuggler gadget gets the same verdict byte by byte`() throws {
        for gadget in try Self.gadgets() {
            for withLength in [false, true] {
                let bytes = gadget.request(withLength: withLength)
                #expect(RequestVerdict.byteByByte(bytes) == RequestVerdict(bytes), "\(gadget.name)")
            }
        }
    }

    // MARK: Every byte at every place

    /// Independent strict reader of a field line: its name and value. Nil if it is no field line.
    private static func field(_ line: [UInt8]) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        let isToken = line[..<colon].allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
        }
        let value = line[(colon + 1)...]
        guard isToken, value.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 < 0x7F }) else { return nil }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased().replacing("_", with: "-")
        return (
            name,
            String(decoding: value, as: UTF8.self).trimmingPrefix { $0 == " " || $0 == "\t" }.reversed()
                .trimmingPrefix { $0 == " " || $0 == "\t" }.reversed().map(String.init).joined()
        )
    }

    /// The line with each of 256 bytes inserted, and replaced, at each offset.
    private static func mutations(of text: String) -> [[UInt8]] {
        let line = Array(text.utf8)
        return (0...line.count).flatMap { place in
            (0...255).flatMap { byte in
                let inserted = line[..<place] + [UInt8(byte)] + line[place...]
                return place < line.count
                    ? [Array(inserted), line[..<place] + [UInt8(byte)] + line[(place + 1)...]] : [Array(inserted)]
            }
        }
    }

    @Test func `T211, T212 no byte inserted into a framing field leads to a second reading of the body`() {
        for (text, other) in [
            ("Transfer-Encoding: chunked", "Content-Length: 5"), ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ] {
            var (accepted, refused) = (0, 0)
            for line in Self.mutations(of: text) {
                let field = Self.field(line)
                for companion in [other, nil] {
                    let head = "POST / HTTP/1.1\r\nHost: a\r\n" + (companion.map { $0 + "\r\n" } ?? "")
                    let stream = RequestStream(Array(head.utf8) + line + Array("\r\n\r\n0\r\n\r\n".utf8))
                    guard let first = stream.requests.first else {
                        refused += 1
                        continue
                    }
                    accepted += 1
                    // An accepted line is a field, and the framing is the one that a strict reader derives from the two
                    // lines.
                    let fields = [field, companion.flatMap { Self.field(Array($0.utf8)) }]
                    let codings = fields.compactMap { $0?.name == "transfer-encoding" ? $0?.value.lowercased() : nil }
                    let lengths = fields.compactMap { $0?.name == "content-length" ? $0?.value : nil }
                    let place = String(decoding: line, as: UTF8.self).debugDescription
                    #expect(field != nil, "\(place)")
                    switch first.framing {
                    case .chunked: #expect(codings == ["chunked"] && lengths.isEmpty, "\(place)")
                    case .length(let length): #expect(codings.isEmpty && lengths == [String(length)], "\(place)")
                    case .none: #expect(codings.isEmpty && (lengths.isEmpty || lengths == ["0"]), "\(place)")
                    }
                }
            }
            #expect(accepted > 1000 && refused > 5000, "\(accepted) accepted, \(refused) refused")
        }
    }
}
