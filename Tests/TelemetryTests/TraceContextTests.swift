import Telemetry
import Testing

struct TraceContextTests {
    private static let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private func parsed(_ text: String) -> TraceContext? { TraceContext(parsing: Array(text.utf8).span) }

    @Test func `the example of W3C is read, and written again`() throws {
        let context = try #require(parsed(Self.valid))
        #expect(context.trace == TraceID(0x0af7_6519_16cd_43dd, 0x8448_eb21_1c80_319c))
        #expect(context.span == SpanID(0xb7ad_6b71_6920_3331))
        #expect(context.isSampled)
        let text = context.text
        #expect(text.indices.map { text[$0] } == Array(Self.valid.utf8))
    }

    @Test func `only the lowest flag means that the sender recorded its span`() {
        for flags in 0...255 {
            let digits = (flags < 16 ? "0" : "") + String(flags, radix: 16)
            #expect(parsed(Self.valid.dropLast(2) + digits)?.isSampled == (flags % 2 == 1))
        }
    }

    @Test func `no truncated value is read`() {
        for length in 0..<Self.valid.utf8.count { #expect(parsed(String(Self.valid.prefix(length))) == nil) }
    }

    @Test func `a value with another byte at any place is read only if the byte is a digit`() {
        let bytes = Array(Self.valid.utf8)
        for index in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = byte
                let isDigit = (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
                let isSame = byte == bytes[index]
                // The version is fixed, and so are the dashes.
                let mayChange = ![0, 1, 2, 35, 52].contains(index)
                #expect((TraceContext(parsing: changed.span) != nil) == (isSame || isDigit && mayChange))
            }
        }
    }

    @Test(arguments: [
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what",
    ])
    func `a value that the format forbids is not read`(text: String) {
        #expect(parsed(text) == nil)
    }
}
