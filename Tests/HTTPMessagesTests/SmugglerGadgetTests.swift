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

        /// Whether the words stand only inside the value of `X`.
        var isInsideValue: Bool { ["X: X Transfer-Encoding: chunked", "X: X\tTransfer-Encoding: chunked"].contains(text) }

        /// Whether some line is exactly the field.
        var hasExactLine: Bool {
            text.split(separator: "\r\n", omittingEmptySubsequences: false)
                .contains { $0.wholeMatch(of: /Transfer-Encoding:[ \t]*chunked[ \t]*/) != nil }
        }

        private var text: String { String(decoding: line, as: UTF8.self) }
    }

    private static func gadgets() throws -> [Gadget] {
        try Vectors.decode([Gadget].self, from: "smuggler-te-gadgets/default.json")
    }

    @Test func `T210 beside Content-Length only words inside another value pass`() throws {
        let gadgets = try Self.gadgets()
        #expect(gadgets.count == 134)
        #expect(gadgets.count(where: \.isInsideValue) == 2)
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

    @Test func `T210 alone only the exact line makes a chunked request`() throws {
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

    /// The field is there as it should be, but another line of the gadget is no field line.
    private static let refusedForAnotherLine: Set<String> = []

    @Test func `T247 each gadget gets the same verdict byte by byte`() throws {
        for gadget in try Self.gadgets() {
            for withLength in [false, true] {
                let bytes = gadget.request(withLength: withLength)
                #expect(RequestVerdict.byteByByte(bytes) == RequestVerdict(bytes), "\(gadget.name)")
            }
        }
    }
}
